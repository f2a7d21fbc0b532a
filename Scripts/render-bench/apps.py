"""The front ends, and the answers that their own servers would give."""
import dataclasses


@dataclasses.dataclass
class App:
    """A front end out of a wheel of PyPI."""

    #: Its requirement, pinned.
    wheel: str
    #: The page of the app, in the wheel.
    page_file: str
    #: Folders of the wheel, by the paths below which their files are served. The first that has the file counts.
    files: dict[str, str]
    #: The path of the page.
    path: str = "/"
    #: Answers of the API: JSON, or a text.
    api: dict[str, object] = dataclasses.field(default_factory=dict)
    #: Paths below which there are no pages.
    api_prefixes: tuple[str, ...] = ("/api/",)
    #: Why it does not show the same as in Chromium: a sentence's clause. Empty: it must.
    differs: str = ""
    #: What the app's server writes in the place of placeholders.
    placeholders: dict[str, str] = dataclasses.field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.wheel.split("==")[0]

    def filled(self, text: bytes) -> bytes:
        for placeholder, value in self.placeholders.items():
            text = text.replace(placeholder.encode(), value.encode())
        return text


APPS = [
    App(
        "optuna-dashboard==0.21.0", "optuna_dashboard/index.html", {"/static/": "optuna_dashboard/public/"}, "/dashboard",
        api={
            "/api/meta": {"artifact_is_available": False, "llm_is_available": False, "plotlypy_is_available": False},
            "/api/studies": {"study_summaries": [
                {"study_id": number, "study_name": name, "directions": ["minimize"], "user_attrs": [], "is_preferential": False}
                for number, name in enumerate(("Glaze of mugs", "Heat of the kiln", "Weight of handles"))]},
        }),
    App(
        "mlflow==3.18.0", "mlflow/server/js/build/index.html", {"/static-files/": "mlflow/server/js/build/"},
        api={
            "/ajax-api/2.0/mlflow/experiments/search": {"experiments": [
                {"experiment_id": str(number), "name": name, "artifact_location": "", "lifecycle_stage": "active",
                 "creation_time": 1790000000000, "last_update_time": 1790000000000, "tags": []}
                for number, name in enumerate(("Glaze of mugs", "Heat of the kiln"))]},
        },
        api_prefixes=("/ajax-api/", "/graphql")),
    App(
        "ray==2.60.0", "ray/dashboard/client/build/index.html", {"/": "ray/dashboard/client/build/"},
        api={
            "/api/authentication_mode": {"authentication_mode": "disabled"},
            "/api/jobs/": [],
            "/api/cluster_status": {"result": True, "msg": "", "data": {
                "autoscalingStatus": None, "autoscalingError": None, "clusterStatus": None}},
            "/events": {"result": True, "msg": "", "data": {"events": []}},
            "/nodes": {"result": True, "msg": "", "data": {"summary": [], "nodeLogicalResources": {}}},
            "/timezone": {"offset": "+00:00", "value": "Etc/UTC"},
        }),
    App(
        "prefect==3.9.1", "prefect/server/ui/index.html", {"/": "prefect/server/ui/"}, "/flows",
        api={
            "/ui-settings": {"api_url": "/api", "csrf_enabled": False, "auth": None, "flags": []},
            "/api/health": True, "/api/version": "3.9.1", "/api/admin/version": "3.9.1",
            "/api/admin/settings": {},
        },
        placeholders={"/PREFECT_UI_SERVE_BASE_REPLACE_PLACEHOLDER": ""}),
    App(
        "apache-airflow-core==3.3.2", "airflow/ui/dist/index.html", {"/static/": "airflow/ui/dist/"},
        api={
            "/api/v2/version": {"version": "3.3.2", "git_version": None},
            "/api/v2/monitor/health": {
                part: {"status": "healthy"} for part in ("metadatabase", "scheduler", "triggerer", "dag_processor")},
            "/ui/auth/menus": {"authorized_menu_items": ["Dags", "Assets", "Docs"], "extra_menu_items": []},
            "/ui/dashboard/dag_stats": {
                "active_dag_count": 2, "failed_dag_count": 0, "running_dag_count": 1, "queued_dag_count": 0},
            "/ui/config": {
                "page_size": 50, "auto_refresh_interval": 3, "hide_paused_dags_by_default": False, "instance_name": "Mugs",
                "enable_swagger_ui": True, "require_confirmation_dag_change": False, "default_wrap": False, "test_connection": "Disabled",
                "dashboard_alert": [], "show_external_log_redirect": False, "external_log_name": None, "fallback_page_limit": 50,
                "theme": None, "multi_team": False},
        },
        api_prefixes=("/api/", "/ui/"), placeholders={"{{ backend_server_base_url }}": "/"}),
    App(
        "feast==0.67.0", "feast/ui/build/index.html", {"/": "feast/ui/build/"},
        api_prefixes=("/registry.db/",)),
    App(
        "streamlit==1.67.0", "streamlit/static/index.html", {"/": "streamlit/static/"},
        api={
            "/_stcore/health": "ok",
            "/_stcore/host-config": {"allowedOrigins": [], "useExternalAuthToken": False, "enableCustomParentMessages": False},
        },
        api_prefixes=("/_stcore/",)),
    App(
        "locust==2.47.0", "locust/webui/dist/index.html", {"/": "locust/webui/dist/"},
        api={
            "/exceptions": {"exceptions": []}, "/logs": {"master": [], "workers": {}}, "/tasks": {}, "/worker-count": 0,
        },
        api_prefixes=("/stats/",), placeholders={"{{ template_args|tojson }}": '{}'}),
    App(
        "zenml==0.98.0", "zenml/zen_server/dashboard/index.html", {"/": "zenml/zen_server/dashboard/"},
        api={
            "/api/v1/info": {
                "id": "00000000-0000-4000-8000-000000000000", "version": "0.98.0", "active": True, "debug": False,
                "deployment_type": "other", "database_type": "sqlite", "secrets_store_type": "sql", "auth_scheme": "OAUTH2_PASSWORD_BEARER",
                "server_url": "", "dashboard_url": "", "analytics_enabled": False, "metadata": {}, "name": "Mugs"},
        }),
    App(
        "dagster-webserver==1.13.28", "dagster_webserver/webapp/build/index.html", {"/": "dagster_webserver/webapp/build/"},
        api_prefixes=("/graphql",),
        placeholders={"__PATH_PREFIX__": "", "BUILDTIME_ASSETPREFIX_REPLACE_ME": "", "__TELEMETRY_ENABLED__": "false"}),
]
