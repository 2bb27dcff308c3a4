// Run by Node when the site is built: adds bytecode to an archive of Python files, made by the very
// Python that will read it. Arguments: the folder of Pyodide, the archive, and where to write.
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [folder, from, to] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${folder}/pyodide.mjs`).href);
const python = await loadPyodide({ indexURL: `${folder}/` });
python.FS.writeFile("/from.zip", new Uint8Array(readFileSync(from)));
python.runPython(`
import importlib.util, marshal, struct, zipfile
source = zipfile.ZipFile("/from.zip")
with zipfile.ZipFile("/to.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as made:
    for each in source.infolist():
        content = source.read(each)
        made.writestr(zipfile.ZipInfo(each.filename), content, zipfile.ZIP_DEFLATED, 9)
        if each.filename.endswith(".py"):
            code = compile(content, "/nip/" + each.filename, "exec", dont_inherit=True)
            # By the digest of its source, which nobody has to check again.
            head = importlib.util.MAGIC_NUMBER + struct.pack("<I", 1) + importlib.util.source_hash(content)
            place = importlib.util.cache_from_source(each.filename)
            made.writestr(zipfile.ZipInfo(place), head + marshal.dumps(code), zipfile.ZIP_DEFLATED, 9)
`);
writeFileSync(to, python.FS.readFile("/to.zip"));
