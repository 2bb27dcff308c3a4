// Runs bundled programs for the main worker, which ends this one if it does not answer.
import { startPython } from "./python.js";

const python = await startPython();
const respond = python.runPython(`
import json
from explorer.programs import bundled, respond
programs = bundled()
lambda request: json.dumps(respond(programs, request))
`);
self.onmessage = ({ data }) => {
  const [answer, goesOn] = JSON.parse(respond(data));
  self.postMessage({ answer, goesOn });
};
self.postMessage({ ready: true });
