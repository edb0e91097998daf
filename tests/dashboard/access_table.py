"""Who may do what: every operation of the API, by role, with the status and the states in which it succeeds.

A row: who, status of success, states of the object if it succeeds in some alone (409 in the others), then operations by
their methods. Who is

- any: every user, about rows of their own
- own: the owner of the row; to everyone else it is absent (404), as if there were no such row
- read: members of the project; to others it is absent, as in all that follow
- write: members but viewers, who are refused with the reason (403)
- remove: the owners of the row and of the project
- manage: the owner of the project
- alone: the owner of the row
- leave: the owner of the project, and the member whom it is about (the viewer)
"""

TABLE = """
any 200: GET access/ account-exports/ area-maps/ attack-methods/ attacks/ audits/ base-map/ cleaning-steps/ datasets/
  dummy-methods/ experiment-generators/ experiment-measures/ experiment-presets/ experiments/ experiments/runs/ jobs/
  label-schema/ landmark-methods/ landmark-sets/ mechanisms/ postprocesses/ projects/ publications/ releases/ sessions/
  streams/ PATCH base-map/ DELETE base-map/file/ POST experiments/plan/
any 201: POST account-exports/ audits/ base-map/file/ datasets/ experiments/ projects/ streams/ uploads/
any 204: OPTIONS uploads/
own 200: GET account-exports/{id}/ audits/{id}/ sessions/{session_key}/ HEAD uploads/{id}/
own 200 done: GET account-exports/{id}/data/ audits/{id}/data/
own 200 failed cancelled: POST account-exports/{id}/retry/ audits/{id}/retry/
own 200 queued running: POST account-exports/{id}/cancel/ audits/{id}/cancel/
own 204: DELETE account-exports/{id}/ audits/{id}/ sessions/{session_key}/ uploads/{id}/
own 204 begun: PATCH uploads/{id}/
read 200: GET area-maps/{id}/ attacks/{id}/ datasets/{id}/ datasets/{id}/lineage/ datasets/{id}/preview/
  experiments/{id}/ experiments/{id}/results/ landmark-sets/{id}/ landmark-sets/{id}/events/ landmark-sets/{id}/loss/
  members/{id}/ projects/{id}/ projects/{id}/members/ publications/{id}/ releases/bundle/ releases/{id}/
  releases/{id}/publications/ streams/{id}/ streams/{id}/data/ streams/{id}/events/ streams/{id}/live/ POST
  budget-plans/ landmark-sets/preview/ landmark-sets/{id}/dummies/preview/ releases/count-preview/ releases/curve/
  releases/expected-counts/ releases/expected-errors/ releases/expected-hits/ releases/forecast/
  releases/least-count-levels/ releases/least-hit-levels/ releases/least-levels/ releases/outlook/
  releases/protection-costs/ releases/quote/
read 200 done: GET attacks/{id}/data/ attacks/{id}/result/ attacks/{id}/track/ experiments/{id}/table/
  releases/{id}/bundle/ releases/{id}/cells/ releases/{id}/comparison/ releases/{id}/counts/ releases/{id}/data/
  releases/{id}/detection/ releases/{id}/errors/ releases/{id}/grouping/ releases/{id}/heat-map/
  releases/{id}/histories/ releases/{id}/model-map/ releases/{id}/notebook/ releases/{id}/series/ releases/{id}/track/
  releases/{id}/tracks/ releases/{id}/true-densities/ releases/{id}/venues/ POST releases/{id}/recommend/
  releases/{id}/recommend/reference/
read 200 ready: POST datasets/{id}/aggregate/preview/ GET datasets/{id}/cells/ datasets/{id}/counts/
  datasets/{id}/geometry/ datasets/{id}/heat-map/ datasets/{id}/home/ datasets/{id}/places/ datasets/{id}/series/
  datasets/{id}/stay-counts/ datasets/{id}/steps/ datasets/{id}/track/ datasets/{id}/tracks/
write 200: PATCH datasets/{id}/ experiments/{id}/ landmark-sets/{id}/ POST streams/{id}/close/
write 200 failed cancelled: POST area-maps/{id}/retry/ attacks/{id}/retry/ datasets/{id}/retry/
  experiments/{id}/resume/ releases/{id}/retry/
write 200 open paused: POST streams/{id}/pause/ streams/{id}/resume/
write 200 queued running: POST area-maps/{id}/cancel/ attacks/{id}/cancel/ datasets/{id}/cancel/
  experiments/{id}/cancel/ releases/{id}/cancel/
write 200 ready failed cancelled: POST datasets/{id}/read/
write 201: POST area-maps/ attacks/ landmark-sets/ landmark-sets/{id}/dummies/ landmark-sets/{id}/duplicate/ releases/
write 201 done: POST releases/{id}/postprocess/ releases/{id}/publications/
write 201 open: POST streams/{id}/events/
write 201 ready: POST datasets/{id}/aggregate/ datasets/{id}/stays/
write 204: POST jobs/{id}/dismiss/ DELETE publications/{id}/
remove 204: DELETE area-maps/{id}/ attacks/{id}/ datasets/{id}/ experiments/{id}/ landmark-sets/{id}/ releases/{id}/
  streams/{id}/
manage 200: GET project-invitations/{id}/ projects/{id}/invitations/ PATCH members/{id}/ projects/{id}/
manage 201: POST projects/{id}/invitations/ projects/{id}/members/
manage 204: DELETE project-invitations/{id}/ projects/{id}/
alone 200: POST datasets/{id}/lineage/ PATCH streams/{id}/
leave 204: DELETE members/{id}/
"""
ACCESS = {}
for row in TABLE.strip().replace("\n  ", " ").splitlines():
    (who, status, *states), operations = (side.split() for side in row.split(": "))
    method = ""
    for part in operations:
        if part.isupper():
            method = part
        else:
            assert f"{method} {part}" not in ACCESS, part
            ACCESS[f"{method} {part}"] = (who, int(status), states)
