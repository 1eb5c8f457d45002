// Asks the browser for a passkey on the page after the password, and sends what it signs. Without this script the page has the
// codes alone.

const form = document.getElementById('passkey');
const problem = document.getElementById('passkey-problem');

async function answer(event) {
  event.preventDefault();
  problem.hidden = true;
  try {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(JSON.parse(form.dataset.options));
    const credential = await navigator.credentials.get({ publicKey });
    form.elements.credential.value = JSON.stringify(credential.toJSON());
    form.submit();
  } catch {
    problem.hidden = false;
  }
}

if (form !== null && window.PublicKeyCredential?.parseRequestOptionsFromJSON !== undefined) {
  form.hidden = false;
  form.addEventListener('submit', answer);
}
