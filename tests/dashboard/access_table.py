"""Who may do what: every operation of the API, by role, with the status and the states in which it succeeds.

A column each: method, path, who, status of success, states of the object (left out: all; 409 in the others). Who is

- any: every user, about rows of their own
- own: the owner of the row; to everyone else it is absent (404), as if there were no such row
- read: members of the project; to others it is absent, as in all that follow
- write: members but viewers, who are refused with the reason (403)
- remove: the owners of the row and of the project
- manage: the owner of the project
- alone: the owner of the row
- leave: the owner of the project, and the member whom it is about (the viewer)
"""

from __future__ import annotations

TABLE = """
GET     access/                                  any    200
GET     account-exports/                         any    200
POST    account-exports/                         any    201
GET     account-exports/{id}/                    own    200
DELETE  account-exports/{id}/                    own    204
POST    account-exports/{id}/cancel/             own    200 queued running
GET     account-exports/{id}/data/               own    200 done
POST    account-exports/{id}/retry/              own    200 failed cancelled
GET     attack-methods/                          any    200
GET     attacks/                                 any    200
POST    attacks/                                 write  201
GET     attacks/{id}/                            read   200
DELETE  attacks/{id}/                            remove 204
POST    attacks/{id}/cancel/                     write  200 queued running
GET     attacks/{id}/data/                       read   200 done
GET     attacks/{id}/result/                     read   200 done
POST    attacks/{id}/retry/                      write  200 failed cancelled
GET     attacks/{id}/track/                      read   200 done
GET     audits/                                  any    200
POST    audits/                                  any    201
GET     audits/{id}/                             own    200
DELETE  audits/{id}/                             own    204
POST    audits/{id}/cancel/                      own    200 queued running
GET     audits/{id}/data/                        own    200 done
POST    audits/{id}/retry/                       own    200 failed cancelled
GET     base-map/                                any    200
PATCH   base-map/                                any    200
POST    base-map/file/                           any    201
DELETE  base-map/file/                           any    200
POST    budget-plans/                            read   200
GET     cleaning-steps/                          any    200
GET     datasets/                                any    200
POST    datasets/                                any    201
GET     datasets/{id}/                           read   200
PATCH   datasets/{id}/                           write  200
DELETE  datasets/{id}/                           remove 204
POST    datasets/{id}/aggregate/                 write  201 ready
POST    datasets/{id}/aggregate/preview/         read   200 ready
POST    datasets/{id}/cancel/                    write  200 queued running
GET     datasets/{id}/cells/                     read   200 ready
GET     datasets/{id}/counts/                    read   200 ready
GET     datasets/{id}/geometry/                  read   200 ready
GET     datasets/{id}/heat-map/                  read   200 ready
GET     datasets/{id}/lineage/                   read   200
POST    datasets/{id}/lineage/                   alone  200
GET     datasets/{id}/places/                    read   200 ready
GET     datasets/{id}/preview/                   read   200
POST    datasets/{id}/read/                      write  200 ready failed cancelled
POST    datasets/{id}/retry/                     write  200 failed cancelled
POST    datasets/{id}/stays/                     write  201 ready
GET     datasets/{id}/steps/                     read   200 ready
GET     datasets/{id}/track/                     read   200 ready
GET     datasets/{id}/tracks/                    read   200 ready
GET     dummy-methods/                           any    200
GET     experiment-generators/                   any    200
GET     experiment-measures/                     any    200
GET     experiment-presets/                      any    200
GET     experiments/                             any    200
POST    experiments/                             any    201
POST    experiments/plan/                        any    200
GET     experiments/runs/                        any    200
GET     experiments/{id}/                        read   200
PATCH   experiments/{id}/                        write  200
DELETE  experiments/{id}/                        remove 204
POST    experiments/{id}/cancel/                 write  200 queued running
GET     experiments/{id}/results/                read   200
POST    experiments/{id}/resume/                 write  200 failed cancelled
GET     experiments/{id}/table/                  read   200 done
GET     jobs/                                    any    200
POST    jobs/{id}/dismiss/                       write  204
GET     label-schema/                            any    200
GET     landmark-methods/                        any    200
GET     landmark-sets/                           any    200
POST    landmark-sets/                           write  201
POST    landmark-sets/preview/                   read   200
GET     landmark-sets/{id}/                      read   200
PATCH   landmark-sets/{id}/                      write  200
DELETE  landmark-sets/{id}/                      remove 204
POST    landmark-sets/{id}/dummies/              write  201
POST    landmark-sets/{id}/dummies/preview/      read   200
POST    landmark-sets/{id}/duplicate/            write  201
GET     landmark-sets/{id}/events/               read   200
GET     landmark-sets/{id}/loss/                 read   200
GET     mechanisms/                              any    200
GET     members/{id}/                            read   200
PATCH   members/{id}/                            manage 200
DELETE  members/{id}/                            leave  204
GET     postprocesses/                           any    200
GET     projects/                                any    200
POST    projects/                                any    201
GET     projects/{id}/                           read   200
PATCH   projects/{id}/                           manage 200
DELETE  projects/{id}/                           manage 204
GET     projects/{id}/members/                   read   200
POST    projects/{id}/members/                   manage 201
GET     publications/                            any    200
GET     publications/{id}/                       read   200
DELETE  publications/{id}/                       write  204
GET     releases/                                any    200
POST    releases/                                write  201
GET     releases/bundle/                         read   200
POST    releases/curve/                          read   200
POST    releases/expected-errors/                read   200
POST    releases/forecast/                       read   200
POST    releases/least-levels/                   read   200
POST    releases/outlook/                        read   200
POST    releases/protection-costs/               read   200
POST    releases/quote/                          read   200
GET     releases/{id}/                           read   200
DELETE  releases/{id}/                           remove 204
GET     releases/{id}/bundle/                    read   200 done
POST    releases/{id}/cancel/                    write  200 queued running
GET     releases/{id}/cells/                     read   200 done
GET     releases/{id}/comparison/                read   200 done
GET     releases/{id}/counts/                    read   200 done
GET     releases/{id}/data/                      read   200 done
GET     releases/{id}/detection/                 read   200 done
GET     releases/{id}/errors/                    read   200 done
GET     releases/{id}/grouping/                  read   200 done
GET     releases/{id}/heat-map/                  read   200 done
GET     releases/{id}/histories/                 read   200 done
GET     releases/{id}/model-map/                 read   200 done
GET     releases/{id}/notebook/                  read   200 done
POST    releases/{id}/postprocess/               write  201 done
GET     releases/{id}/publications/              read   200
POST    releases/{id}/publications/              write  201 done
POST    releases/{id}/recommend/                 read   200 done
POST    releases/{id}/recommend/reference/       read   200 done
POST    releases/{id}/retry/                     write  200 failed cancelled
GET     releases/{id}/series/                    read   200 done
GET     releases/{id}/track/                     read   200 done
GET     releases/{id}/tracks/                    read   200 done
GET     releases/{id}/true-densities/            read   200 done
GET     releases/{id}/venues/                    read   200 done
GET     sessions/                                any    200
GET     sessions/{session_key}/                  own    200
DELETE  sessions/{session_key}/                  own    204
GET     streams/                                 any    200
POST    streams/                                 any    201
GET     streams/{id}/                            read   200
PATCH   streams/{id}/                            alone  200
DELETE  streams/{id}/                            remove 204
POST    streams/{id}/close/                      write  200
GET     streams/{id}/data/                       read   200
GET     streams/{id}/events/                     read   200
POST    streams/{id}/events/                     write  201 open
GET     streams/{id}/live/                       read   200
POST    streams/{id}/pause/                      write  200 open paused
POST    streams/{id}/resume/                     write  200 open paused
OPTIONS uploads/                                 any    204
POST    uploads/                                 any    201
HEAD    uploads/{id}/                            own    200
PATCH   uploads/{id}/                            own    204 begun
DELETE  uploads/{id}/                            own    204
"""
COLUMNS = [line.split() for line in TABLE.strip().splitlines()]
ACCESS = {f"{method} {path}": (who, int(status), states) for method, path, who, status, *states in COLUMNS}
