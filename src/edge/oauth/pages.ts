/** The form's values. */
export interface PageFields {
  userCode: string;
  subject?: string;
  displayName?: string;
  spendingCap?: string;
  /** Whether owners can approve in the console, where they are signed in. */
  console?: boolean;
}

/** The pages' only style sheet; the content security policy names its digest. */
export const style = `
:root { color-scheme: light dark; --text: light-dark(#1b1b1b, #ededed); --soft: light-dark(#555, #b5b5b5); --line: light-dark(#767676, #8c8c8c); --page: light-dark(#fff, #161616); --bad: light-dark(#b00020, #ff8a95); --bad-page: light-dark(#fdecee, #3a1519); }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 26rem; margin: 3rem auto; padding: 0 1rem; color: var(--text); }
html, input { background: var(--page); }
a { color: var(--text); }
label { display: block; margin-top: 1rem; font-weight: 600; }
small { display: block; font-weight: 400; color: var(--soft); }
input { width: 100%; box-sizing: border-box; padding: .5rem; font: inherit; color: var(--text); border: 1px solid var(--line); border-radius: 4px; }
#user_code { font-size: 1.5rem; letter-spacing: .15em; text-transform: uppercase; }
button { margin-top: 1.5rem; margin-right: .5rem; padding: .6rem 1.2rem; font: inherit; color: var(--text); background: var(--page); border-radius: 4px; border: 1px solid var(--text); cursor: pointer; }
button[value=approve] { background: var(--text); color: var(--page); }
.problem { border-left: 4px solid var(--bad); padding: .5rem 1rem; background: var(--bad-page); }
`;

/** The form. `problem` says what was wrong with the last submission. */
export function activatePage(fields: PageFields, problem?: string): string {
  return page(
    'Activate a device',
    `${problem === undefined ? '' : `<p class="problem" role="alert">${escapeHtml(problem)}</p>`}
<p>Approve only a device that you have in front of you and whose code you see on its screen.</p>
${fields.console ? `<p><a href="/console/devices${fields.userCode === '' ? '' : `?user_code=${encodeURIComponent(fields.userCode)}`}">I am signed in to the console</a></p>` : ''}
<form method="post" action="/activate" autocomplete="off">
${field('user_code', 'Code', 'The 8 letters that the device shows.', fields.userCode, 'required maxlength="64"')}
${field('subject', 'End user', 'Your own id for the person who uses the device.', fields.subject, 'maxlength="128"')}
${field('display_name', 'Name of the device (optional)', '', fields.displayName, 'maxlength="200"')}
${field('spending_cap_usd', 'Most that it may ever spend, in USD (optional)', '', fields.spendingCap, 'inputmode="decimal" maxlength="20"')}
${field('key', 'Management key', 'It is used only once and not kept.', '', 'type="password" required maxlength="200"')}
<button name="decision" value="approve">Activate</button><button name="decision" value="deny">Refuse</button>
</form>`,
  );
}

/** The last page. */
export function resultPage(title: string, text: string): string {
  return page(title, `<p>${escapeHtml(text)}</p>`);
}

function field(name: string, label: string, hint: string, value = '', attributes = ''): string {
  const note = hint === '' ? '' : `<small>${escapeHtml(hint)}</small>`;
  return `<label for="${name}">${escapeHtml(label)}${note}</label><input id="${name}" name="${name}" value="${escapeHtml(value)}" ${attributes}>`;
}

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title><style>${style}</style></head>
<body><main><h1>${escapeHtml(title)}</h1>
${body}
</main></body>
</html>
`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
