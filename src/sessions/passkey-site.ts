import { isIP } from 'node:net';

/** Where passkeys work: the name by which authenticators know the service (WebAuthn's RP ID), and the one origin that may ask them. */
export interface PasskeySite {
  readonly rpId: string;
  readonly origin: string;
}

const thisMachine = /^(?:localhost|0\.0\.0\.0|127(?:\.\d{1,3}){3}|\[::1?\])$/;

/**
 * The site of a service at this address; undefined: browsers do not support passkeys there. They require HTTPS and a domain name,
 * or `localhost` (WebAuthn Level 3, section 5.1.3; W3C Secure Contexts), which represents every address of the machine itself.
 */
export function passkeySite(publicUrl: string): PasskeySite | undefined {
  const { protocol, hostname, port } = new URL(publicUrl);
  const name = thisMachine.test(hostname) ? 'localhost' : hostname;
  if (isIP(name.replace(/[[\]]/g, '')) !== 0) return undefined;
  if (protocol !== 'https:' && name !== 'localhost') return undefined;
  return { rpId: name, origin: `${protocol}//${name}${port === '' ? '' : `:${port}`}` };
}
