"""docker-compose.yml: what every service may do, where its secrets come from, what shows that it is healthy."""

import json
import re
from importlib.resources import files
from pathlib import Path

import jsonschema
import yaml

from tests.cases import each

ROOT = Path(__file__).resolve().parent.parent
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES = COMPOSE["services"]
OURS = [name for name, service in SERVICES.items() if service["image"] == "cairn:local"]
"""Address space of a worker's process before its job (VmSize); little of it is memory of its own."""
ENDS = {"migrate"}
"""Services that end: their exit code is what others wait for."""

every_service = each("name", SERVICES)


def value(text):
    """What is written, or the default of a variable."""
    return re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", str(text))


def megabytes(text):
    number, unit = re.fullmatch(r"(\d+)([mg])", value(text)).groups()
    return int(number) * {"m": 1, "g": 1000}[unit]


def test_all_services_are_here():
    assert len(SERVICES) == 9
    assert {name for name, service in SERVICES.items() if "profiles" in service} == {"proxy", "backup"}


@every_service
class TestEveryService:
    def test_has_limits_of_memory_processes_and_log(self, name):
        service = SERVICES[name]
        assert 100 <= megabytes(service["mem_limit"]) <= 8000
        assert 0 < service["pids_limit"] <= 1000
        assert service["logging"] == {"driver": "json-file", "options": {"max-size": "10m", "max-file": "5"}}

    def test_has_no_rights_and_writes_to_volumes_and_memory_alone(self, name):
        service = SERVICES[name]
        assert service["cap_drop"] == ["ALL"]
        assert "cap_add" not in service
        assert "privileged" not in service
        assert service["security_opt"] == ["no-new-privileges:true"]
        assert service["read_only"] is True
        for one in service["tmpfs"]:
            assert {"noexec", "nosuid"} <= set(one.partition(":")[2].split(","))

        assert not [one for one in service.get("volumes", []) if "docker.sock" in one]
        ours = name in OURS and "USER cairn" in (ROOT / "Dockerfile").read_text()
        assert ours or "unprivileged" in service["image"] or service["user"] not in ("", "root", "0")

    def test_names_a_version_reports_its_health_or_ends_and_is_started_again(self, name):
        service = SERVICES[name]
        tag, check = service["image"].partition(":")[2], service["healthcheck"]
        assert tag == "local" if name in OURS else re.match(r"\d", tag)
        assert (check == {"disable": True}) == (name in ENDS)
        assert name in ENDS or {"test", "interval", "timeout", "retries"} <= set(check)
        assert service["restart"] == ("on-failure:3" if name in ENDS else "unless-stopped")

    def test_secrets_are_files(self, name):
        service = SERVICES[name]
        for variable, text in service.get("environment", {}).items():
            if re.search("KEY|PASSWORD|SECRET", variable):
                assert variable.endswith("_FILE"), variable
                assert str(text).removeprefix("/run/secrets/") in service["secrets"]
            assert not re.search(r"//[^/@]*:[^/@]+@", str(text)), f"{variable} has a password"
        assert set(service.get("secrets", [])) <= set(COMPOSE["secrets"])


def test_every_secret_and_config_is_a_file_and_no_secret_is_in_git():
    assert all(set(one) == {"file"} for one in COMPOSE["secrets"].values())
    assert all(one["file"].startswith("./secrets/") for one in COMPOSE["secrets"].values())
    assert "/secrets/" in (ROOT / ".gitignore").read_text().splitlines()
    for one in COMPOSE["configs"].values():
        assert (ROOT / one["file"]).is_file()
    for script in ("backup", "restore"):
        assert (ROOT / "deploy" / script).stat().st_mode & 0o111


def test_every_long_process_of_ours_is_watched_for_its_own_kind():
    kinds = {name: SERVICES[name]["entrypoint"] for name in OURS if name not in ENDS}
    for name, entrypoint in kinds.items():
        kind = name.partition("-")[0]
        assert entrypoint == ["python", "-m", "dashboard.launcher.watch", kind, "--"]
        assert SERVICES[name]["healthcheck"]["test"] == ["CMD", "python", "-m", "dashboard.launcher.health", kind]


def test_jobs_fit_into_the_memory_of_their_worker():
    for name in ("worker", "worker-interactive"):
        service = SERVICES[name]
        [processes] = [int(one.partition("=")[2]) for one in service["command"] if one.startswith("--concurrency=")]
        job = int(value(service["environment"]["CAIRN_JOB_MEMORY_MB"]))
        assert processes * job + 500 <= megabytes(service["mem_limit"])


def test_workers_take_from_every_queue_and_one_from_interactive_alone():
    from django.conf import settings

    prefix, taken = "--queues=", {}
    for name in ("worker", "worker-interactive"):
        [given] = [one for one in SERVICES[name]["command"] if one.startswith(prefix)]
        taken[name] = set(given.removeprefix(prefix).split(","))
    queues = {queue.name for queue in settings.CELERY_TASK_QUEUES}
    assert taken == {"worker": queues, "worker-interactive": {"interactive"}}


def test_redis_needs_a_password_and_stores_less_than_its_memory():
    redis = SERVICES["redis"]
    text = redis["command"][-1]
    assert "requirepass" in text
    assert "$$(cat /run/secrets/redis_password)" in text
    assert int(re.search(r"--maxmemory (\d+)mb", text)[1]) * 2 <= megabytes(redis["mem_limit"])


def test_database_broker_and_workers_reach_no_host_outside():
    assert COMPOSE["networks"]["back"] == {"internal": True}
    outside = {name for name, service in SERVICES.items() if set(service["networks"]) != {"back"}}
    assert outside == {"web", "proxy"}


def test_published_are_the_proxy_and_on_this_machine_alone_the_web_server():
    published = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}
    assert set(published) == {"web", "proxy"}
    assert all(port.startswith("127.0.0.1:") for port in published["web"])
    assert published["proxy"] == ["80:8080", "443:8443"]


def test_the_proxy_takes_what_the_settings_expect_and_more_than_cairn_does():
    environment = SERVICES["web"]["environment"]
    [limit] = re.findall(r"client_max_body_size (\d+)m;", (ROOT / "deploy" / "nginx.conf").read_text())
    assert value(environment["CAIRN_PROXY_MB"]) == limit
    assert int(limit) > int(value(environment["CAIRN_UPLOAD_MB"])) + 1


def test_web_worker_and_sweep_share_one_image_one_home_and_one_environment_that_settings_read():
    services = [SERVICES[name] for name in ("web", "worker", "sweep")]
    for key in ("image", "volumes", "environment"):
        assert services[0][key] == services[1][key] == services[2][key]
    settings = "".join((ROOT / "dashboard" / "config" / f"{one}.py").read_text() for one in ("settings", "celery"))
    names = [name.removesuffix("_FILE") for name in services[0]["environment"]]
    assert [name for name in names if f'"{name}"' not in settings] == []


@each("name", ["docker-compose.yml", "deploy/s3.yml"])
def test_is_valid(name):
    schema = json.loads((files("check_jsonschema") / "builtin_schemas/vendor/compose-spec.json").read_text())
    jsonschema.validators.validator_for(schema)(schema).validate(yaml.safe_load((ROOT / name).read_text()))


class TestFilesInAStorage:
    """deploy/s3.yml, which Compose merges into the other file."""

    more = yaml.safe_load((ROOT / "deploy" / "s3.yml").read_text())

    def test_reaches_every_service_that_has_files(self):
        with_files = {name for name in OURS if "home:/data" in SERVICES[name].get("volumes", [])}
        assert set(self.more["services"]) == with_files - {"backup"}

    def test_has_every_setting_and_no_secret_in_the_environment(self):
        settings = (ROOT / "dashboard" / "storage" / "settings.py").read_text()
        for name, service in self.more["services"].items():
            environment = service["environment"]
            assert {one.removesuffix("_FILE") for one in environment} == set(re.findall(r'"(CAIRN_S\w+)"', settings))
            assert all(f"/run/secrets/{one}" in environment.values() for one in service["secrets"])
            assert "front" in (service.get("networks") or SERVICES[name]["networks"])
