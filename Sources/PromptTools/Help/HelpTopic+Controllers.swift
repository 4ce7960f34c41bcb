import ScriptRuntime

extension HelpTopic {
  /// The topics about controllers, and about ways to show their contents.
  static let onControllers: [HelpTopic] = [
    HelpTopic(
      "controller", ["controllers", "frc", "fetchedresultscontroller"], in: .controllers,
      [
        "controller NAME = ENTITY sort by … [where …] [section by …] [cache \"…\"] makes a fetched results",
        "controller. After fetch NAME, it reports every change of its results to its delegate.",
      ],
      example: [
        "controller thick = Book where pages > 200 sort by pages desc",
        "fetch thick",
        "insert Book(title: \"Ulysses\", pages: 730)",
      ]),
    HelpTopic(
      "observer", ["observers", "resultsobserver", "swiftdata", "updates", "historyobserver"],
      in: .controllers,
      [
        "observer NAME = ENTITY … lists objects as SwiftData's ResultsObserver. It fetches at once, and",
        "publishes after saves; with updates turns, after each turn. history [of …] [by …] counts saves.",
      ],
      example: [
        "observer thick = Book where pages > 200 sort by title",
        "insert Book(title: \"Ulysses\", pages: 730)",
        "save",
        "show thick",
      ]),
    HelpTopic(
      "change", in: .controllers,
      [
        "change CONTROLLER CLAUSES changes its fetch request, as an app may do at any time. The",
        "controller uses the new request from the next fetch on. An observer fetches at once.",
      ],
      example: [
        "change books sort by pages desc",
        "fetch books",
      ]),
    HelpTopic(
      "delegate", ["delegates", "changes", "didchange", "none", "snapshot", "diff", "counts"],
      in: .controllers,
      [
        "delegate CONTROLLER changes receives all four callbacks, didChange only the last one, snapshot and",
        "diff the newer forms. counts prints numbers only. With none, no changes are tracked.",
      ],
      example: [
        "delegate books counts",
        "insert 3 Book(title: \"VALIS \\(i)\")",
        "delegate books changes",
      ]),
    HelpTopic(
      "callback", ["return", "didchangeobject", "didchangecontent", "sectionindextitle"],
      in: .controllers,
      [
        "delegate CONTROLLER { NAME { … } } runs your statements in a callback NAME: willChangeContent,",
        "didChangeObject, didChangeSection, didChangeContent, sectionIndexTitle NAME { return … }.",
      ],
      example: [
        "delegate books {",
        "  didChangeObject { print \"\\($type) \\($object)\" }",
        "  didChangeContent { count Book }",
        "}",
        "insert Book(title: \"Eden\")",
        "delegate books changes",
      ]),
    HelpTopic(
      "table", ["tables", "tableview", "uitableview", "view", "reload", "suspend", "resume"],
      in: .controllers,
      [
        "table NAME = CONTROLLER [reload | { REACTIONS }] is a simulated UITableView with the controller's",
        "delegate. reload NAME reloads it. suspend NAME makes it miss changes until resume NAME.",
      ],
      example: [
        "table view = books",
        "insert Book(title: \"Kindred\")",
        "show view",
      ]),
    HelpTopic(
      "reactions",
      [
        "reaction", "insertrows", "deleterows", "reloadrows", "moverow", "configurecell", "nothing",
      ],
      in: .controllers,
      [
        "Reactions to insert, delete, update, move: insertRows deleteRows reloadRows moveRow configureCell",
        "nothing …; to sectionInsert, sectionDelete: insertSections deleteSections. Tab lists them all.",
      ],
      example: [
        "table view = books {",
        "  update nothing",
        "  move deleteRows insertRows",
        "}",
        "Book/1.pages += 1",
        "show view",
        "reload view",
      ]),
    HelpTopic(
      "trace", ["datasource", "cellforrow", "numberofrows"], in: .controllers,
      [
        "trace TABLE on prints each call of the table to its data source. trace TABLE off stops this."
      ],
      example: ["table view = books", "trace view on", "reload view", "trace view off"]),
    HelpTopic(
      "stepping", ["step", "steps"], in: .controllers,
      [
        "perform stepping { … } shows the table, or the controller, after each callback of the turn.",
        "At the prompt, any key shows the next callback, and q runs the rest.",
      ],
      example: ["perform stepping { insert Book(title: \"Babel\") }"]),
    HelpTopic(
      "cache", ["caches"], in: .controllers,
      [
        "cache \"NAME\" keeps a controller's sections until the store changes; for a store in a file, also",
        "between runs. caches lists them; delete cache \"NAME\" and delete caches remove them.",
      ],
      example: [
        "controller cached = Book sort by publisher section by publisher cache \"Shelves\"",
        "fetch cached",
        "caches",
        "delete cache \"Shelves\"",
      ]),
    HelpTopic(
      "keep", ["keep limit"], in: .controllers,
      [
        "With keep limit, limit and offset also apply after each change: when a row leaves, the next one",
        "comes in. Apple's controller does not do this. change NAME keep limit off turns it off.",
      ],
      example: [
        "controller first = Book sort by title limit 2 keep limit",
        "fetch first",
        "insert Book(title: \"Aniara\")",
        "change first keep limit off",
      ]),
    HelpTopic(
      "track", ["track related", "related"], in: .controllers,
      [
        "With track related, a row counts as changed if its sort, section or predicate reads a related",
        "object that changed. Apple's controller does not do this.",
      ],
      example: [
        "entity Shop { city: String, offers: [Offer] inverse shop }",
        "entity Offer { name: String, shop: Shop inverse offers }",
        "insert Offer(name: \"Tea\", shop: insert Shop(city: \"Rome\"))",
        "controller offers = Offer sort by shop.city track related",
        "fetch offers",
        "Shop/1.city = \"Oslo\"",
      ]),
    HelpTopic(
      "evaluate", ["match", "matching"], in: .looking,
      [
        "evaluate PREDICATE on OBJECT prints the result of each part of the predicate,",
        "and the values that were compared.",
      ],
      example: ["evaluate pages > 100 AND title CONTAINS[cd] 'u' on Book/1"]),
    HelpTopic(
      "explain", ["why", "reason", "evidence"], in: .looking,
      [
        "explain shows why each callback of the last turn was sent, or why none was: the rule, and",
        "the values it used. explain OBJECT is about one object; :help rules lists the rules.",
      ],
      example: ["update Book where title == \"Dune\" { pages = pages + 10 }", "explain"]),
    HelpTopic(
      "rules", ["rule"], in: .looking,
      [
        "explain names these rules. Documentation/Rules.md explains each of them, with a script."
      ]
        + Rule.helpLines,
      example: ["insert Book(title: \"Kim\")", "explain"]),
    HelpTopic(
      "swift", ["code", "xcode", "app", "ios"], in: .looking,
      [
        "swift NAME prints Swift code for an app: a controller with its table and delegate, an entity's",
        "class, or a context's observer. swift STATEMENT prints a function for a fetch, batch or merge.",
      ],
      example: ["swift books", "swift Book", "swift batch delete Book where pages < 10"]),
    HelpTopic(
      "quirk",
      [
        "quirks", "samepathmove", "updateandmove", "sectionchangeasupdate",
        "snapshotswithoutreloads", "unreadmergeslost", "countedsections",
        "unrelatedsavesfire", "deletedrowstrap", "bugs",
      ],
      in: .controllers,
      [
        "Old behaviour: quirk samePathMove on, updateAndMove, sectionChangeAsUpdate, countedSections,",
        "snapshotsWithoutReloads, unreadMergesLost. Of observers: unrelatedSavesFire, deletedRowsTrap.",
      ],
      example: [
        "insert 2 Book(title: \"Kim \\(i)\")",
        "quirk updateAndMove on",
        "update Book where title == \"Kim 1\" { title = \"Zen\" }",
        "quirk updateAndMove off",
      ]),
    HelpTopic(
      "show", ["list"], in: .looking,
      [
        "show CONTROLLER prints its sections and rows with their index paths. show CONTROLLER.request",
        "prints its fetch request. show TABLE draws a table.",
      ],
      example: ["show books", "show books.request"]),
    HelpTopic(
      "objects", ["state"], in: .looking,
      [
        "objects ENTITY prints every object with its state: inserted, updated, deleted, saved or fault. The",
        "values of a fault are not read from the store yet.",
      ],
      example: ["objects Book"]),
    HelpTopic(
      "stats", ["sql", "faults", "statements"], in: .looking,
      [
        "stats prints the statements run, rows read, faults fired and memory in use. set sql on prints each",
        "SQL statement of a store in a file, as Core Data's SQLDebug does. set sql off stops this.",
      ],
      example: ["stats", "set sql on", "set sql off"]),
    HelpTopic(
      "print", ["members", "indexpath"], in: .looking,
      [
        "print VALUE prints a value. A controller has CONTROLLER[SECTION, ROW], .sections,",
        ".fetchedObjects, .sectionIndexTitles, .indexPath(forObject: …). Tab lists them.",
      ],
      example: [
        "print books[0, 0].title",
        "print books.fetchedObjects.count",
        "print books.indexPath(forObject: Book/1)",
      ]),
  ]
}

extension HelpTopic {
  /// The topics about requests.
  static let onRequests: [HelpTopic] = [
    HelpTopic(
      "fetch", ["rows", "performfetch"], in: .requests,
      [
        "fetch ENTITY [CLAUSES] prints the objects that match. fetch CONTROLLER loads its results.",
        "Clauses: where, sort by, section by, limit, offset, batch, cache; see also :help dictionaries.",
      ],
      example: ["fetch Book where pages > 100 sort by pages desc limit 5"]),
    HelpTopic(
      "count", in: .requests,
      ["count ENTITY [CLAUSES] prints how many objects match. count(ENTITY [CLAUSES]) is a value."],
      example: [
        "count Book where pages > 100",
        "let long = count(Book where pages > 100)",
      ]),
    HelpTopic(
      "where",
      ["predicate", "predicates", "and", "or", "not", "contains", "like", "matches", "in"],
      in: .requests,
      [
        "where PREDICATE keeps the objects that match. It is written as for NSPredicate; $NAME is a variable.",
        "== != < > BETWEEN IN CONTAINS BEGINSWITH ENDSWITH LIKE MATCHES, [cd], AND OR NOT, ( )",
      ],
      example: [
        "let least = 100",
        "fetch Book where title CONTAINS[cd] 'u' AND pages >= $least",
        "fetch Book where publisher IN {'Ace', 'Tor'} OR pages BETWEEN {1, 99}",
      ]),
    HelpTopic(
      "sort", ["sort by", "order", "using", "desc", "asc"], in: .requests,
      [
        "sort by ATTRIBUTE [desc] [using HOW], … sorts the results, and equal ones by their numbers.",
        "HOW: caseInsensitive, localized, localizedCaseInsensitive, localizedStandard.",
      ],
      example: ["fetch Book sort by publisher desc, title using localizedStandard"]),
    HelpTopic(
      "section", ["section by", "sections"], in: .requests,
      [
        "section by ATTRIBUTE divides a controller's results into sections. The first sort key must keep",
        "each section together.",
      ],
      example: [
        "controller shelf = Book sort by publisher, title section by publisher",
        "fetch shelf",
        "show shelf",
      ]),
    HelpTopic(
      "limit", ["offset"], in: .requests,
      [
        "limit COUNT is the most results, offset COUNT skips the first ones, batch COUNT loads them in parts.",
        "A controller applies them when it fetches, and to later changes only with keep limit.",
      ],
      example: ["fetch Book sort by title limit 2 offset 1"]),
    HelpTopic(
      "prefetch",
      [
        "includespendingchanges", "returnsobjectsasfaults", "shouldrefreshrefetchedobjects",
        "relationshipkeypathsforprefetching", "options",
      ], in: .requests,
      [
        "prefetch RELATIONSHIP, … reads related objects too. These options are on or off as in an app:",
        "includesPendingChanges, returnsObjectsAsFaults, shouldRefreshRefetchedObjects.",
      ],
      example: [
        "count Book includesPendingChanges off",
        "fetch Book sort by title returnsObjectsAsFaults off shouldRefreshRefetchedObjects on",
      ]),
    HelpTopic(
      "dictionaries",
      ["group", "group by", "having", "distinct", "returning", "sum", "average"],
      in: .requests,
      [
        "values KEY, sum(KEY) as NAME, … fetches saved values, with group by KEY, having PREDICATE, distinct,",
        "count sum min max average. returning objectIDs gives IDs, returning count their number.",
      ],
      example: [
        "save",
        "fetch Book values publisher, count(title) as titles group by publisher having titles > 1",
        "fetch Book values publisher distinct",
        "fetch Book returning objectIDs",
      ]),
    HelpTopic(
      "request", in: .requests,
      [
        "request NAME = ENTITY [CLAUSES] defines a fetch request, for fetch, count and controllers."
      ],
      example: [
        "request long = Book where pages > 100 sort by title",
        "count long",
      ]),
  ]
}
