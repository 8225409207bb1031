// Keeps the key of a student in this browser, and that of a teacher in this tab, so that a page that
// is loaded anew goes on as the same.  Without storage, as in some private windows, it does not.

function storage(role) {
  return role === "teacher" ? sessionStorage : localStorage;
}

function kept(role) {
  try {
    return JSON.parse(storage(role).getItem(`dptopk-${role}`));
  } catch {
    return null;
  }
}

export default function ({ data, setStateValue }) {
  const { role, code, key, heard } = data;
  const before = kept(role);
  if (key === "") {
    if (before) storage(role).removeItem(`dptopk-${role}`);
  } else if (before?.code === code && before.key !== key && before.key !== heard) {
    setStateValue("held", before.key);
  } else if (key) {
    try {
      storage(role).setItem(`dptopk-${role}`, JSON.stringify({ code, key }));
    } catch {
      // blocked: the key is kept by the session alone
    }
  }
}
