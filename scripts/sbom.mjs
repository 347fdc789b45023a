// Prints what a production install holds as a CycloneDX 1.6 document (JSON), from package-lock.json alone: the same bytes
// for the same lock file, offline. `npm sbom --omit dev` leaves out packages that development needs as well.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** The document for a lock file (version 3): what `npm ci --omit=dev --omit=optional` installs, and which package needs which. */
export function billOfMaterials(lock) {
  const { '': own, ...others } = lock.packages;
  const installed = new Map(
    Object.entries(others)
      .filter(([, { dev, optional, devOptional }]) => !dev && !optional && !devOptional)
      // A link refers to a package of this repository, which the lock file lists at its folder.
      .map(([path, entry]) => [path, { name: nameOf(path), ...(entry.link ? lock.packages[entry.resolved] : entry) }])
      .filter(([path]) => path.startsWith('node_modules/')),
  );
  const components = unique([...installed.values()].map(componentOf));
  const ownRef = purlOf(own.name, own.version);
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      lifecycles: [{ phase: 'build' }],
      component: { type: 'application', 'bom-ref': ownRef, name: own.name, version: own.version, purl: ownRef },
    },
    components,
    dependencies: unique(
      [['', own], ...installed].map(([path, entry]) => ({
        'bom-ref': purlOf(entry.name, entry.version),
        dependsOn: dependenciesOf(path, entry, installed),
      })),
    ),
  };
}

function componentOf({ name, version, integrity, license }) {
  const [group, short] = name.startsWith('@') ? name.split('/') : [undefined, name];
  return {
    type: 'library',
    'bom-ref': purlOf(name, version),
    ...(group && { group }),
    name: short,
    version,
    scope: 'required',
    purl: purlOf(name, version),
    ...(integrity && { hashes: integrity.split(' ').map(hashOf) }),
    // npm's word for "none" is not an SPDX identifier.
    ...(license &&
      license !== 'UNLICENSED' && {
        licenses: [/^[\w.+-]+$/.test(license) ? { license: { id: license } } : { expression: license }],
      }),
  };
}

/** Subresource integrity says `sha512-` and base 64; CycloneDX says `SHA-512` and hexadecimal digits. */
function hashOf(integrity) {
  const [algorithm, digest] = integrity.split('-', 2);
  return { alg: algorithm.replace('sha', 'SHA-'), content: Buffer.from(digest, 'base64').toString('hex') };
}

/** Node's own rule: the nearest node_modules on the way up that has it. */
function dependenciesOf(path, { dependencies = {}, peerDependencies = {} }, installed) {
  const refs = Object.keys({ ...dependencies, ...peerDependencies }).flatMap((name) => {
    for (let folder = path; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
      const found = installed.get(`${folder === '' ? '' : `${folder}/`}node_modules/${name}`);
      if (found) return [purlOf(found.name, found.version)];
      if (folder === '') return [];
    }
  });
  return [...new Set(refs)].sort();
}

function nameOf(path) {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

function purlOf(name, version) {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

/** A package installed in two places is one component. */
function unique(entries) {
  const byRef = new Map(entries.map((entry) => [entry['bom-ref'], entry]));
  return [...byRef.values()].sort((one, other) => (one['bom-ref'] < other['bom-ref'] ? -1 : 1));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  process.stdout.write(`${JSON.stringify(billOfMaterials(lock), null, 2)}\n`);
}
