// Copies the address of the page as it is when a button is pressed, with its draws or for own ones.

function address(changes) {
  const link = new URL(location.href);
  for (const [key, value] of Object.entries(changes)) link.searchParams.set(key, value);
  return link.href;
}

async function copy(text, field) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch { // not allowed, or the page came without encryption
    field.value = text;
    field.hidden = false;
    field.select();
    return document.execCommand("copy");
  }
}

export default function ({ data, parentElement }) {
  parentElement.leave?.();
  const row = document.createElement("div");
  row.className = "copy-link";
  const field = document.createElement("input");
  field.readOnly = true;
  field.hidden = true;
  field.setAttribute("aria-label", "The link");
  const said = document.createElement("span");
  said.setAttribute("role", "status");
  for (const [label, changes] of data.links) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = label;
    button.onclick = async () => {
      const done = await copy(address(changes), field);
      field.hidden ||= done;
      said.textContent = done ? "Copied." : "Copy it from here:";
    };
    row.append(button);
  }
  row.append(said, field);
  parentElement.append(row);
  parentElement.leave = () => row.remove();
  return parentElement.leave;
}
