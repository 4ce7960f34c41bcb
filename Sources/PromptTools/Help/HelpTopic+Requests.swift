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
