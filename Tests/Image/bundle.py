"""Sets up what umoci unpacked as kubernetes.yaml would run it: bundle.py CONFIG.json SOURCE:TARGET[:ro]... [-- ARGUMENT...]

A root that is read-only, no capability, no new privileges; the network is the machine's, for servers on loopback."""

import json
import pathlib
import sys

path = pathlib.Path(sys.argv[1])
rest = sys.argv[2:]
arguments = rest[rest.index("--") + 1 :] if "--" in rest else None
mounts = rest[: rest.index("--")] if "--" in rest else rest
config = json.loads(path.read_text())
process = config["process"]
assert process["user"] == {"uid": 963, "gid": 963}, process["user"]
assert process["args"] == ["aasa-monitor", "run", "--config", "/etc/aasa-monitor/monitor.yaml"], process["args"]
assert process["cwd"] == "/var/lib/aasa-monitor", process["cwd"]
assert "RUNTIME_DIRECTORY=/run/aasa-monitor" in process["env"], process["env"]
process |= {"terminal": False, "noNewPrivileges": True, "args": arguments or process["args"]}
process["capabilities"] = {kind: [] for kind in ("bounding", "effective", "inheritable", "permitted", "ambient")}
config["root"]["readonly"] = True
config["linux"]["namespaces"] = [one for one in config["linux"]["namespaces"] if one["type"] not in ("network", "cgroup")]
config["mounts"] = [one for one in config["mounts"] if one["destination"] != "/sys/fs/cgroup"]
config["mounts"].append({"destination": "/run/aasa-monitor", "type": "tmpfs", "source": "tmpfs", "options": ["mode=0700", "uid=963", "gid=963"]})
for mount in mounts:
    source, target, *options = mount.split(":")
    config["mounts"].append({"destination": target, "type": "bind", "source": source, "options": ["rbind", *options]})
path.with_name("config.json").write_text(json.dumps(config))
