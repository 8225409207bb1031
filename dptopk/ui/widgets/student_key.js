// Keeps the student of a class in this tab, so that a page that is loaded anew goes on as the same.
// Two tabs are two students.  Without storage, as in some private windows, a reload joins anew.

const NAME = "dptopk-student";

function kept() {
  try {
    return JSON.parse(sessionStorage.getItem(NAME));
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
      sessionStorage.setItem(NAME, JSON.stringify({ code, student }));
    } catch {
      // blocked: the student is kept by the session alone
    }
  }
}
