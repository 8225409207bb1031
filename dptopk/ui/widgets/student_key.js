// Keeps the student of a class in this browser, so that a page that is loaded anew, or opened in
// another tab, goes on as the same.  Without storage, as in some private windows, it joins anew.

const NAME = "dptopk-student";

function kept() {
  try {
    return JSON.parse(localStorage.getItem(NAME));
  } catch {
    return null;
  }
}

export default function ({ data, setStateValue }) {
  const { code, student, heard } = data;
  const before = kept();
  if (before?.code === code && before.student !== student && before.student !== heard) {
    setStateValue("student", before.student);
  } else if (student) {
    try {
      localStorage.setItem(NAME, JSON.stringify({ code, student }));
    } catch {
      // blocked: the student is kept by the session alone
    }
  }
}
