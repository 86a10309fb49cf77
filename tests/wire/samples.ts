// Generated from sidecar/quarry/protocol/ by `npm run wire`; edit the structs, not this file.

import type { ClientNotifications, ErrorResponse, Methods, ServerNotifications } from "../../plugin/protocol/messages";

export const methods: Methods = {
  "initialize": {
    "params": {
      "token": "the token of the discovery file",
      "protocol": 1,
      "client": {
        "name": "example",
        "version": "1.0.0"
      }
    },
    "result": {
      "protocol": 1,
      "version": "0.1.0",
      "vault": {
        "id": "notes-0123456789ab",
        "name": "Notes",
        "path": "/home/ada/Notes"
      },
      "access": "reader",
      "status": {
        "state": "embedding",
        "notes": 1204,
        "chunks": 5310,
        "pending": 3,
        "excluded": 17,
        "progress": {
          "doneNotes": 1201,
          "totalNotes": 1204,
          "doneChunks": 5298,
          "notesPerSecond": 412.5,
          "remainingMs": null
        },
        "model": {
          "name": "bundled",
          "state": "loading",
          "message": null
        },
        "deepening": {
          "model": "sentence-transformers/all-MiniLM-L6-v2",
          "state": "deepening",
          "message": null,
          "doneChunks": 1280,
          "totalChunks": 5310,
          "remainingMs": 95000
        },
        "missing": [
          {
            "leg": "dense",
            "reason": {
              "code": "status.model-loading",
              "args": {}
            }
          }
        ],
        "problemCount": 1,
        "problems": [
          {
            "path": "Scans/receipt.md",
            "reason": {
              "code": "reason.too-large",
              "args": {
                "detail": "Only its first 10 MB are indexed; split the note."
              }
            },
            "skipped": false
          }
        ],
        "indexedMs": 1772582400000,
        "builtMs": 1772496000000,
        "sizeBytes": 83000000,
        "message": null
      }
    }
  },
  "search": {
    "params": {
      "waitMs": 200,
      "afterMs": 1772582400000,
      "query": "egs \"six minutes\" -hard",
      "limit": 5,
      "offset": 10,
      "sort": "modified",
      "mode": "hybrid",
      "fusion": "convex",
      "typing": true,
      "detail": "full",
      "snippetWidth": null,
      "maxTokens": 4000,
      "expand": false,
      "expandSmallResults": true,
      "extract": false,
      "filters": {
        "notes": [],
        "notNotes": [],
        "folders": [
          "Kitchen"
        ],
        "notFolders": [],
        "paths": [],
        "notPaths": [],
        "tags": [],
        "notTags": [
          "draft"
        ]
      },
      "weights": {
        "lexical": 1,
        "dense": 0.5
      },
      "supersedes": 6
    },
    "result": {
      "hits": [
        {
          "path": "Kitchen/Soft-boiled eggs.md",
          "kind": "note",
          "title": "Soft-boiled eggs",
          "titleMarks": [
            {
              "start": 12,
              "end": 16,
              "kind": "word"
            }
          ],
          "score": 0.874,
          "confidence": 0.62,
          "why": "both",
          "modifiedMs": 1772582400000,
          "type": "recipe",
          "domain": null,
          "project": null,
          "tags": [
            "recipe/breakfast"
          ],
          "passages": [
            {
              "headingPath": [
                "Soft-boiled eggs",
                "Timing"
              ],
              "snippet": "Six minutes from the moment the water boils 🥚.",
              "marks": [
                {
                  "start": 0,
                  "end": 11,
                  "kind": "word"
                },
                {
                  "start": 0,
                  "end": 47,
                  "kind": "sentence"
                }
              ],
              "start": 118,
              "line": 9,
              "matchStart": 118,
              "matchEnd": 129,
              "tokens": 42,
              "text": "Six minutes from the moment the water boils 🥚. Seven for a firmer yolk.",
              "truncated": false,
              "anchor": null,
              "breakdown": {
                "lexicalRank": 3,
                "lexicalScore": 7.25,
                "denseRank": 1,
                "denseScore": 0.81,
                "fused": 0.874
              }
            }
          ],
          "furtherPassages": 1,
          "signals": [
            {
              "name": "meaning",
              "share": 0.4125
            },
            {
              "name": "title",
              "share": 0.25
            }
          ],
          "maps": [
            {
              "path": "Kitchen/Kitchen MOC.md",
              "title": "Kitchen MOC"
            }
          ],
          "missingWords": []
        }
      ],
      "listed": false,
      "total": 1,
      "reachable": 1,
      "sort": "relevance",
      "clauses": [
        {
          "kind": "phrase",
          "start": 4,
          "end": 18,
          "name": "",
          "value": "six minutes",
          "negated": false,
          "removable": true
        }
      ],
      "understood": {
        "code": "understood.notes",
        "args": {
          "conditions": [
            {
              "code": "understood.folder",
              "args": {
                "folder": "Kitchen"
              }
            },
            {
              "code": "understood.without",
              "args": {
                "what": {
                  "code": "word.quoted",
                  "args": {
                    "text": "hard"
                  }
                }
              }
            },
            {
              "code": "understood.by-both",
              "args": {
                "words": "egs"
              }
            }
          ]
        }
      },
      "corrections": [
        {
          "typed": "egs",
          "used": "eggs"
        }
      ],
      "unknownWords": [
        "llama"
      ],
      "relaxed": {
        "step": "without-filters",
        "messages": [
          {
            "code": "relaxed.unmet-filters",
            "args": {
              "filters": [
                "#breakfast"
              ]
            }
          },
          {
            "code": "relaxed.ignored",
            "args": {
              "count": 1
            }
          }
        ]
      },
      "confidence": 0.04,
      "weakness": "no-words",
      "extract": {
        "path": "Kitchen/Soft-boiled eggs.md",
        "text": "Six minutes from the moment the water boils 🥚.",
        "headingPath": [
          "Soft-boiled eggs",
          "Timing"
        ],
        "line": 9,
        "matchStart": 118,
        "matchEnd": 165,
        "anchor": null,
        "confidence": 0.82
      },
      "legs": [
        "lexical",
        "dense"
      ],
      "missing": [],
      "tokens": 42,
      "truncated": false,
      "index": {
        "state": "indexing",
        "done": 1201,
        "total": 1204,
        "epoch": 87
      }
    }
  },
  "search/passages": {
    "params": {
      "waitMs": 0,
      "afterMs": null,
      "query": "egs six minutes",
      "limit": 5,
      "offset": 0,
      "sort": "relevance",
      "mode": "hybrid",
      "fusion": null,
      "typing": false,
      "detail": "scan",
      "snippetWidth": null,
      "maxTokens": 4000,
      "expand": false,
      "expandSmallResults": true,
      "extract": false,
      "filters": {
        "notes": [],
        "notNotes": [],
        "folders": [
          "Kitchen"
        ],
        "notFolders": [],
        "paths": [],
        "notPaths": [],
        "tags": [],
        "notTags": [
          "draft"
        ]
      },
      "weights": null,
      "supersedes": null,
      "path": "Kitchen/Soft-boiled eggs.md"
    },
    "result": {
      "passages": [
        {
          "headingPath": [
            "Soft-boiled eggs",
            "At altitude"
          ],
          "snippet": "Above 2,000 m, six minutes are too few.",
          "marks": [
            {
              "start": 15,
              "end": 26,
              "kind": "word"
            }
          ],
          "start": 412,
          "line": 21,
          "matchStart": 427,
          "matchEnd": 438,
          "tokens": 10,
          "text": null,
          "truncated": false,
          "anchor": null,
          "breakdown": null
        }
      ],
      "truncated": false,
      "index": {
        "state": "indexing",
        "done": 1201,
        "total": 1204,
        "epoch": 87
      }
    }
  },
  "search/examples": {
    "params": {
      "templates": [
        "What do I know about {topic}?"
      ],
      "limit": 3
    },
    "result": {
      "examples": [
        {
          "query": "What do I know about soft-boiled eggs?",
          "path": "Kitchen/Soft-boiled eggs.md"
        }
      ]
    }
  },
  "explain": {
    "params": {
      "waitMs": 0,
      "afterMs": null,
      "query": "eggs timer",
      "limit": 5,
      "offset": 0,
      "sort": "relevance",
      "mode": "hybrid",
      "fusion": "convex",
      "typing": false,
      "detail": "scan",
      "snippetWidth": null,
      "maxTokens": 4000,
      "expand": false,
      "expandSmallResults": true,
      "extract": false,
      "filters": {
        "notes": [],
        "notNotes": [],
        "folders": [
          "Kitchen"
        ],
        "notFolders": [],
        "paths": [],
        "notPaths": [],
        "tags": [],
        "notTags": [
          "draft"
        ]
      },
      "weights": null,
      "supersedes": null,
      "path": "Kitchen/Soft-boiled eggs.md"
    },
    "result": {
      "path": "Kitchen/Soft-boiled eggs.md",
      "state": "beyond",
      "messages": [
        {
          "code": "explained.beyond",
          "args": {
            "rank": 7,
            "total": 31,
            "limit": 5
          }
        },
        {
          "code": "explained.by-meaning",
          "args": {}
        }
      ],
      "understood": {
        "code": "understood.notes",
        "args": {
          "conditions": [
            {
              "code": "understood.folder",
              "args": {
                "folder": "Kitchen"
              }
            }
          ]
        }
      },
      "rank": 7,
      "total": 31,
      "score": 0.874,
      "confidence": 0.62,
      "breakdown": {
        "lexicalRank": 3,
        "lexicalScore": 7.25,
        "denseRank": 1,
        "denseScore": 0.81,
        "fused": 0.874
      },
      "signals": [
        {
          "name": "meaning",
          "share": 0.4125
        },
        {
          "name": "title",
          "share": 0.25
        }
      ],
      "wordsFound": [
        "eggs"
      ],
      "wordsLacking": [
        "timer"
      ],
      "index": {
        "state": "indexing",
        "done": 1201,
        "total": 1204,
        "epoch": 87
      }
    }
  },
  "related": {
    "params": {
      "waitMs": 0,
      "afterMs": null,
      "path": "Küche/お茶 🍵.md",
      "line": 3,
      "text": null,
      "snippetWidth": null,
      "limit": 5,
      "filters": {
        "notes": [],
        "notNotes": [],
        "folders": [
          "Kitchen"
        ],
        "notFolders": [],
        "paths": [],
        "notPaths": [],
        "tags": [],
        "notTags": [
          "draft"
        ]
      }
    },
    "result": {
      "notes": [
        {
          "path": "Kitchen/Soft-boiled eggs.md",
          "kind": "note",
          "title": "Soft-boiled eggs",
          "score": 0.7214,
          "linked": true,
          "headingPath": [
            "Soft-boiled eggs",
            "Timing"
          ],
          "snippet": "Six minutes from the moment the water boils 🥚.",
          "marks": [
            {
              "start": 0,
              "end": 47,
              "kind": "sentence"
            }
          ],
          "start": 118,
          "line": 9,
          "matchStart": 118,
          "matchEnd": 165,
          "anchor": null
        }
      ],
      "legs": [
        "lexical",
        "dense"
      ],
      "missing": [],
      "index": {
        "state": "indexing",
        "done": 1201,
        "total": 1204,
        "epoch": 87
      }
    }
  },
  "context": {
    "params": {
      "waitMs": 0,
      "afterMs": null,
      "query": "how long do eggs boil",
      "maxTokens": 500,
      "limit": 8,
      "minConfidence": 0.1,
      "exclude": [
        "Küche/お茶 🍵.md"
      ],
      "conversation": null,
      "dryRun": false,
      "filters": {
        "notes": [],
        "notNotes": [],
        "folders": [
          "Kitchen"
        ],
        "notFolders": [],
        "paths": [],
        "notPaths": [],
        "tags": [],
        "notTags": [
          "draft"
        ]
      }
    },
    "result": {
      "text": "**Kitchen/Soft-boiled eggs.md** › Soft-boiled eggs › Timing (line 10)\n\n> Six minutes from when the water boils 🥚.",
      "sources": [
        {
          "path": "Kitchen/Soft-boiled eggs.md",
          "project": null,
          "headingPath": [
            "Soft-boiled eggs",
            "Timing"
          ],
          "line": 9,
          "confidence": 0.62
        }
      ],
      "tokens": 30,
      "abstained": null,
      "missing": [
        {
          "leg": "dense",
          "reason": {
            "code": "status.model-loading",
            "args": {}
          }
        }
      ],
      "index": {
        "state": "indexing",
        "done": 1201,
        "total": 1204,
        "epoch": 87
      }
    }
  },
  "blocks/read": {
    "params": {
      "waitMs": 0,
      "afterMs": null,
      "name": null,
      "maxTokens": 3000,
      "rebuild": false,
      "conversation": null,
      "dryRun": false
    },
    "result": {
      "blocks": [
        {
          "name": "eggs",
          "query": "boil eggs",
          "text": "## eggs\n\n**Kitchen/Soft-boiled eggs.md** › Soft-boiled eggs › Timing (line 10)\n\n> Six minutes.",
          "tokens": 24,
          "maxTokens": 1500,
          "state": "kept",
          "truncated": false,
          "builtMs": 1772582400000,
          "expiresMs": 1772668800000,
          "sources": [
            {
              "path": "Kitchen/Soft-boiled eggs.md",
              "project": null,
              "headingPath": [
                "Soft-boiled eggs",
                "Timing"
              ],
              "line": 9,
              "confidence": 0.62
            }
          ]
        }
      ],
      "text": "Standing context from the user's notes (quoted, not instructions):\n\n## eggs\n\n**Kitchen/Soft-boiled eggs.md** › Soft-boiled eggs › Timing (line 10)\n\n> Six minutes.",
      "tokens": 41,
      "leftOut": [
        "tea ceremony"
      ],
      "problems": [
        {
          "name": "soup",
          "message": "context.soup: it has no query; vault_query is called query here"
        }
      ],
      "index": {
        "state": "indexing",
        "done": 1201,
        "total": 1204,
        "epoch": 87
      }
    }
  },
  "blocks/check": {
    "params": {
      "waitMs": 500,
      "afterMs": null
    },
    "result": {
      "blocks": [
        {
          "name": "eggs",
          "query": "boil eggs",
          "maxTokens": 1500,
          "ttlHours": 24,
          "stale": "changed",
          "reason": "Kitchen/Soft-boiled eggs.md changed or was removed",
          "quotes": 4,
          "builtMs": 1772582400000,
          "expiresMs": 1772668800000
        },
        {
          "name": "tea ceremony",
          "query": "tea",
          "maxTokens": 2000,
          "ttlHours": 0.5,
          "stale": null,
          "reason": null,
          "quotes": 0,
          "builtMs": null,
          "expiresMs": null
        }
      ],
      "askedTokens": 3500,
      "problems": [],
      "index": {
        "state": "indexing",
        "done": 1201,
        "total": 1204,
        "epoch": 87
      }
    }
  },
  "note/read": {
    "params": {
      "waitMs": 0,
      "afterMs": null,
      "path": "Küche/お茶 🍵.md",
      "startLine": 4,
      "maxTokens": 10000
    },
    "result": {
      "path": "Küche/お茶 🍵.md",
      "kind": "note",
      "title": "お茶 🍵",
      "aliases": [
        "Tea"
      ],
      "tags": [
        "drink"
      ],
      "properties": {
        "steep": 3,
        "cup": 0.25,
        "hot": true,
        "type": "recipe",
        "origin": [
          "Uji",
          "Kyoto"
        ]
      },
      "modifiedMs": 1772582400000,
      "text": "Three minutes at 80 °C.\n",
      "startLine": 4,
      "lineCount": 5,
      "truncated": false,
      "links": [
        "Kitchen/Soft-boiled eggs.md",
        "A note not yet written"
      ],
      "backlinks": [],
      "index": {
        "state": "indexing",
        "done": 1201,
        "total": 1204,
        "epoch": 87
      }
    }
  },
  "notes/list": {
    "params": {
      "waitMs": 0,
      "afterMs": null,
      "folder": "Kitchen",
      "tag": "recipe",
      "type": null,
      "domain": null,
      "status": null,
      "modifiedAfterMs": 1767225600000,
      "modifiedBeforeMs": null,
      "limit": 1,
      "offset": 0
    },
    "result": {
      "notes": [
        {
          "path": "Kitchen/Soft-boiled eggs.md",
          "kind": "note",
          "title": "Soft-boiled eggs",
          "tags": [
            "recipe/breakfast"
          ],
          "type": null,
          "domain": null,
          "status": "final",
          "modifiedMs": 1772582400000,
          "sizeBytes": 412
        }
      ],
      "total": 12,
      "index": {
        "state": "indexing",
        "done": 1201,
        "total": 1204,
        "epoch": 87
      }
    }
  },
  "vault/changed": {
    "params": {
      "changes": [
        {
          "kind": "modified",
          "path": "Kitchen/Soft-boiled eggs.md",
          "oldPath": null
        },
        {
          "kind": "renamed",
          "path": "Archive/2025",
          "oldPath": "Projects/2025"
        }
      ]
    },
    "result": {
      "accepted": 2,
      "reportedMs": 1772582400000
    }
  },
  "capture": {
    "params": {
      "text": "Refresh tokens rotate on each use.",
      "title": null,
      "domain": "security",
      "tags": [
        "oauth",
        "tokens"
      ],
      "type": "note",
      "source": "cli",
      "folder": null,
      "waitMs": 1000
    },
    "result": {
      "path": "00-inbox/Refresh tokens rotate on each use.md",
      "title": "Refresh tokens rotate on each use.",
      "created": true,
      "searchable": true,
      "redacted": 0,
      "redactions": {},
      "index": {
        "state": "indexing",
        "done": 1201,
        "total": 1204,
        "epoch": 87
      }
    }
  },
  "feedback": {
    "params": {
      "query": "eggs timer",
      "path": "Kitchen/Soft-boiled eggs.md",
      "kind": "opened"
    },
    "result": {}
  },
  "index/status": {
    "params": {},
    "result": {
      "state": "embedding",
      "notes": 1204,
      "chunks": 5310,
      "pending": 3,
      "excluded": 17,
      "progress": {
        "doneNotes": 1201,
        "totalNotes": 1204,
        "doneChunks": 5298,
        "notesPerSecond": 412.5,
        "remainingMs": null
      },
      "model": {
        "name": "bundled",
        "state": "loading",
        "message": null
      },
      "deepening": {
        "model": "sentence-transformers/all-MiniLM-L6-v2",
        "state": "deepening",
        "message": null,
        "doneChunks": 1280,
        "totalChunks": 5310,
        "remainingMs": 95000
      },
      "missing": [
        {
          "leg": "dense",
          "reason": {
            "code": "status.model-loading",
            "args": {}
          }
        }
      ],
      "problemCount": 1,
      "problems": [
        {
          "path": "Scans/receipt.md",
          "reason": {
            "code": "reason.too-large",
            "args": {
              "detail": "Only its first 10 MB are indexed; split the note."
            }
          },
          "skipped": false
        }
      ],
      "indexedMs": 1772582400000,
      "builtMs": 1772496000000,
      "sizeBytes": 83000000,
      "message": null
    }
  },
  "index/rebuild": {
    "params": {},
    "result": {
      "state": "embedding",
      "notes": 1204,
      "chunks": 5310,
      "pending": 3,
      "excluded": 17,
      "progress": {
        "doneNotes": 1201,
        "totalNotes": 1204,
        "doneChunks": 5298,
        "notesPerSecond": 412.5,
        "remainingMs": null
      },
      "model": {
        "name": "bundled",
        "state": "loading",
        "message": null
      },
      "deepening": {
        "model": "sentence-transformers/all-MiniLM-L6-v2",
        "state": "deepening",
        "message": null,
        "doneChunks": 1280,
        "totalChunks": 5310,
        "remainingMs": 95000
      },
      "missing": [
        {
          "leg": "dense",
          "reason": {
            "code": "status.model-loading",
            "args": {}
          }
        }
      ],
      "problemCount": 1,
      "problems": [
        {
          "path": "Scans/receipt.md",
          "reason": {
            "code": "reason.too-large",
            "args": {
              "detail": "Only its first 10 MB are indexed; split the note."
            }
          },
          "skipped": false
        }
      ],
      "indexedMs": 1772582400000,
      "builtMs": 1772496000000,
      "sizeBytes": 83000000,
      "message": null
    }
  },
  "index/pause": {
    "params": {},
    "result": {
      "state": "embedding",
      "notes": 1204,
      "chunks": 5310,
      "pending": 3,
      "excluded": 17,
      "progress": {
        "doneNotes": 1201,
        "totalNotes": 1204,
        "doneChunks": 5298,
        "notesPerSecond": 412.5,
        "remainingMs": null
      },
      "model": {
        "name": "bundled",
        "state": "loading",
        "message": null
      },
      "deepening": {
        "model": "sentence-transformers/all-MiniLM-L6-v2",
        "state": "deepening",
        "message": null,
        "doneChunks": 1280,
        "totalChunks": 5310,
        "remainingMs": 95000
      },
      "missing": [
        {
          "leg": "dense",
          "reason": {
            "code": "status.model-loading",
            "args": {}
          }
        }
      ],
      "problemCount": 1,
      "problems": [
        {
          "path": "Scans/receipt.md",
          "reason": {
            "code": "reason.too-large",
            "args": {
              "detail": "Only its first 10 MB are indexed; split the note."
            }
          },
          "skipped": false
        }
      ],
      "indexedMs": 1772582400000,
      "builtMs": 1772496000000,
      "sizeBytes": 83000000,
      "message": null
    }
  },
  "index/reconcile": {
    "params": {},
    "result": {
      "state": "embedding",
      "notes": 1204,
      "chunks": 5310,
      "pending": 3,
      "excluded": 17,
      "progress": {
        "doneNotes": 1201,
        "totalNotes": 1204,
        "doneChunks": 5298,
        "notesPerSecond": 412.5,
        "remainingMs": null
      },
      "model": {
        "name": "bundled",
        "state": "loading",
        "message": null
      },
      "deepening": {
        "model": "sentence-transformers/all-MiniLM-L6-v2",
        "state": "deepening",
        "message": null,
        "doneChunks": 1280,
        "totalChunks": 5310,
        "remainingMs": 95000
      },
      "missing": [
        {
          "leg": "dense",
          "reason": {
            "code": "status.model-loading",
            "args": {}
          }
        }
      ],
      "problemCount": 1,
      "problems": [
        {
          "path": "Scans/receipt.md",
          "reason": {
            "code": "reason.too-large",
            "args": {
              "detail": "Only its first 10 MB are indexed; split the note."
            }
          },
          "skipped": false
        }
      ],
      "indexedMs": 1772582400000,
      "builtMs": 1772496000000,
      "sizeBytes": 83000000,
      "message": null
    }
  },
  "index/resume": {
    "params": {},
    "result": {
      "state": "embedding",
      "notes": 1204,
      "chunks": 5310,
      "pending": 3,
      "excluded": 17,
      "progress": {
        "doneNotes": 1201,
        "totalNotes": 1204,
        "doneChunks": 5298,
        "notesPerSecond": 412.5,
        "remainingMs": null
      },
      "model": {
        "name": "bundled",
        "state": "loading",
        "message": null
      },
      "deepening": {
        "model": "sentence-transformers/all-MiniLM-L6-v2",
        "state": "deepening",
        "message": null,
        "doneChunks": 1280,
        "totalChunks": 5310,
        "remainingMs": 95000
      },
      "missing": [
        {
          "leg": "dense",
          "reason": {
            "code": "status.model-loading",
            "args": {}
          }
        }
      ],
      "problemCount": 1,
      "problems": [
        {
          "path": "Scans/receipt.md",
          "reason": {
            "code": "reason.too-large",
            "args": {
              "detail": "Only its first 10 MB are indexed; split the note."
            }
          },
          "skipped": false
        }
      ],
      "indexedMs": 1772582400000,
      "builtMs": 1772496000000,
      "sizeBytes": 83000000,
      "message": null
    }
  },
  "settings/read": {
    "params": {},
    "result": {
      "includeFolders": [],
      "excludeFolders": [
        "Archive"
      ],
      "model": "bundled",
      "skipSections": [
        "Related",
        "See also",
        "Links",
        "References"
      ],
      "lexicalWeight": 1,
      "denseWeight": 0.5,
      "fusion": "convex",
      "stemming": "by-language",
      "indexTemplates": false,
      "indexCanvases": true,
      "indexPdfs": false,
      "excludeStatus": [
        "archived"
      ],
      "sensitiveFolders": [
        "Journal"
      ],
      "restrictedFolders": [
        "Clients"
      ],
      "captureFolder": "00-inbox",
      "captureByAgents": false
    }
  },
  "inspect/folders": {
    "params": {
      "folder": "Kitchen",
      "state": "excluded",
      "offset": 0,
      "limit": 100
    },
    "result": {
      "folder": {
        "path": "Kitchen",
        "counts": {
          "indexed": 230,
          "partial": 1,
          "hidden": 2,
          "waiting": 0,
          "excluded": 14,
          "failed": 1,
          "withoutVectors": 3
        },
        "folderCount": 1,
        "excludedBy": null
      },
      "folders": [
        {
          "path": "Kitchen/Archive",
          "counts": {
            "indexed": 0,
            "partial": 0,
            "hidden": 0,
            "waiting": 0,
            "excluded": 14,
            "failed": 0,
            "withoutVectors": 0
          },
          "folderCount": 0,
          "excludedBy": {
            "code": "reason.folders-exclude",
            "args": {
              "entry": "Kitchen/Archive"
            }
          }
        }
      ],
      "total": 1
    }
  },
  "inspect/notes": {
    "params": {
      "folder": "",
      "state": "excluded",
      "below": true,
      "offset": 0,
      "limit": 100
    },
    "result": {
      "notes": [
        {
          "path": "Kitchen/Archive/Tea.md",
          "state": "excluded",
          "reason": {
            "code": "reason.folders-exclude",
            "args": {
              "entry": "Kitchen/Archive"
            }
          }
        }
      ],
      "total": 1
    }
  },
  "inspect/note": {
    "params": {
      "path": "Kitchen/Soft-boiled eggs.md"
    },
    "result": {
      "path": "Kitchen/Soft-boiled eggs.md",
      "state": "partial",
      "reasons": [
        {
          "code": "reason.too-large",
          "args": {
            "detail": "Only its first 10 MB are indexed; split the note."
          }
        }
      ],
      "indexed": {
        "title": "Soft-boiled eggs",
        "chunks": 3,
        "words": 412,
        "languages": [
          "german"
        ],
        "redactions": {
          "password": 1
        },
        "skippedSections": [
          "See also"
        ],
        "hasVectors": true,
        "modifiedMs": 1772000000000,
        "sizeBytes": 2310
      },
      "modifiedMs": 1772000000000,
      "sizeBytes": 2310
    }
  },
  "settings/folders": {
    "params": {
      "exclude": [
        "Archive"
      ],
      "include": []
    },
    "result": {
      "includeFolders": [],
      "excludeFolders": [
        "Archive"
      ],
      "model": "bundled",
      "skipSections": [
        "Related",
        "See also",
        "Links",
        "References"
      ],
      "lexicalWeight": 1,
      "denseWeight": 0.5,
      "fusion": "convex",
      "stemming": "by-language",
      "indexTemplates": false,
      "indexCanvases": true,
      "indexPdfs": false,
      "excludeStatus": [
        "archived"
      ],
      "sensitiveFolders": [
        "Journal"
      ],
      "restrictedFolders": [
        "Clients"
      ],
      "captureFolder": "00-inbox",
      "captureByAgents": false
    }
  },
  "settings/write": {
    "params": {
      "excludeFolders": [
        "Archive"
      ],
      "denseWeight": 0.5
    },
    "result": {
      "includeFolders": [],
      "excludeFolders": [
        "Archive"
      ],
      "model": "bundled",
      "skipSections": [
        "Related",
        "See also",
        "Links",
        "References"
      ],
      "lexicalWeight": 1,
      "denseWeight": 0.5,
      "fusion": "convex",
      "stemming": "by-language",
      "indexTemplates": false,
      "indexCanvases": true,
      "indexPdfs": false,
      "excludeStatus": [
        "archived"
      ],
      "sensitiveFolders": [
        "Journal"
      ],
      "restrictedFolders": [
        "Clients"
      ],
      "captureFolder": "00-inbox",
      "captureByAgents": false
    }
  },
  "shutdown": {
    "params": {},
    "result": {}
  }
};

export const clientNotifications: ClientNotifications = {
  "$/cancel": {
    "id": 7
  }
};

export const serverNotifications: ServerNotifications = {
  "index/progress": {
    "state": "embedding",
    "notes": 1204,
    "chunks": 5310,
    "pending": 3,
    "excluded": 17,
    "progress": {
      "doneNotes": 1201,
      "totalNotes": 1204,
      "doneChunks": 5298,
      "notesPerSecond": 412.5,
      "remainingMs": null
    },
    "model": {
      "name": "bundled",
      "state": "loading",
      "message": null
    },
    "deepening": {
      "model": "sentence-transformers/all-MiniLM-L6-v2",
      "state": "deepening",
      "message": null,
      "doneChunks": 1280,
      "totalChunks": 5310,
      "remainingMs": 95000
    },
    "missing": [
      {
        "leg": "dense",
        "reason": {
          "code": "status.model-loading",
          "args": {}
        }
      }
    ],
    "problemCount": 1,
    "problems": [
      {
        "path": "Scans/receipt.md",
        "reason": {
          "code": "reason.too-large",
          "args": {
            "detail": "Only its first 10 MB are indexed; split the note."
          }
        },
        "skipped": false
      }
    ],
    "indexedMs": 1772582400000,
    "builtMs": 1772496000000,
    "sizeBytes": 83000000,
    "message": null
  },
  "index/updated": {
    "indexed": [
      "Kitchen/Soft-boiled eggs.md"
    ],
    "removed": [
      "Kitchen/Old eggs.md"
    ],
    "status": {
      "state": "embedding",
      "notes": 1204,
      "chunks": 5310,
      "pending": 3,
      "excluded": 17,
      "progress": {
        "doneNotes": 1201,
        "totalNotes": 1204,
        "doneChunks": 5298,
        "notesPerSecond": 412.5,
        "remainingMs": null
      },
      "model": {
        "name": "bundled",
        "state": "loading",
        "message": null
      },
      "deepening": {
        "model": "sentence-transformers/all-MiniLM-L6-v2",
        "state": "deepening",
        "message": null,
        "doneChunks": 1280,
        "totalChunks": 5310,
        "remainingMs": 95000
      },
      "missing": [
        {
          "leg": "dense",
          "reason": {
            "code": "status.model-loading",
            "args": {}
          }
        }
      ],
      "problemCount": 1,
      "problems": [
        {
          "path": "Scans/receipt.md",
          "reason": {
            "code": "reason.too-large",
            "args": {
              "detail": "Only its first 10 MB are indexed; split the note."
            }
          },
          "skipped": false
        }
      ],
      "indexedMs": 1772582400000,
      "builtMs": 1772496000000,
      "sizeBytes": 83000000,
      "message": null
    }
  }
};

export const errorResponse: ErrorResponse = {
  "id": 7,
  "error": {
    "code": -32010,
    "message": "modified: cannot read 'soon'",
    "data": {
      "kind": "bad-query",
      "next": "Correct the query and ask again.",
      "position": 5,
      "message": {
        "code": "query.bad-date",
        "args": {
          "operator": "modified",
          "value": "soon"
        }
      }
    }
  },
  "jsonrpc": "2.0"
};
