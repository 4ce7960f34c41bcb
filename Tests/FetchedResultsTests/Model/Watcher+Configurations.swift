import FetchedResults

extension Watcher.Configuration {
  private typealias Values = World.Values

  /// Compares by several keys in order; nil if all are equal.
  private static func order(_ keys: ((Values, Values) -> Int)...) -> (Values, Values) -> Bool? {
    { left, right in
      for key in keys {
        let result = key(left, right)
        if result != 0 { return result < 0 }
      }
      return nil
    }
  }

  private static func k(_ left: Values, _ right: Values) -> Int { left.k - right.k }
  private static func t(_ left: Values, _ right: Values) -> Int { left.t - right.t }
  private static func b(_ left: Values, _ right: Values) -> Int { left.b - right.b }

  /// Sorts nil first, then by letter.
  private static func s(_ left: Values, _ right: Values) -> Int {
    if left.s == right.s { return 0 }
    guard let a = left.s else { return -1 }
    guard let b = right.s else { return 1 }
    return a < b ? -1 : 1
  }

  /// Configurations with a limit that is kept.
  private static var withKeptLimits: [Self] {
    [
      Self(
        name: "sort k limit 3 keep limit", sort: ["k"], section: nil,
        precedes: order(k), sectionName: { _ in "" }, limit: 3, keepsLimit: true),
      Self(
        name: "sort -k t offset 2 keep limit", sort: ["-k", "t"], section: nil,
        precedes: order({ k($1, $0) }, t), sectionName: { _ in "" }, offset: 2, keepsLimit: true),
      Self(
        name: "sort s k section s limit 5 offset 1 keep limit", sort: ["s", "k"], section: "s",
        precedes: order(s, k), sectionName: { $0.s ?? "" }, limit: 5, offset: 1, keepsLimit: true),
      Self(
        name: "sort k section s limit 7 offset 2 keep limit", sort: ["k"], section: "s",
        precedes: order(k), sectionName: { $0.s ?? "" }, limit: 7, offset: 2, keepsLimit: true),
      Self(
        name: "where t != k sort b t section s limit 6 keep limit", sort: ["b", "t"], section: "s",
        precedes: order(b, t), sectionName: { $0.s ?? "" },
        format: "t != k", matches: { $0.t != $0.k }, limit: 6, keepsLimit: true),
    ]
  }

  /// All configurations in a world.
  static var all: [Self] {
    [
      Self(
        name: "sort k", sort: ["k"], section: nil, precedes: order(k), sectionName: { _ in "" }),
      Self(
        name: "sort -k t", sort: ["-k", "t"], section: nil,
        precedes: order({ k($1, $0) }, t), sectionName: { _ in "" }),
      Self(
        name: "sort s k section s", sort: ["s", "k"], section: "s",
        precedes: order(s, k), sectionName: { $0.s ?? "" }),
      Self(
        name: "sort -s -t section s", sort: ["-s", "-t"], section: "s",
        precedes: order({ s($1, $0) }, { t($1, $0) }), sectionName: { $0.s ?? "" }),
      Self(
        name: "sort -k t section k", sort: ["-k", "t"], section: "k",
        precedes: order({ k($1, $0) }, t), sectionName: { String($0.k) }),
      Self(
        name: "sort b t section s", sort: ["b", "t"], section: "s",
        precedes: order(b, t), sectionName: { $0.s ?? "" }),
      Self(
        name: "sort -b k section s", sort: ["-b", "k"], section: "s",
        precedes: order({ b($1, $0) }, k), sectionName: { $0.s ?? "" }),
      Self(
        name: "sort k section s", sort: ["k"], section: "s",
        precedes: order(k), sectionName: { $0.s ?? "" }),
      Self(
        name: "sort -t k section s", sort: ["-t", "k"], section: "s",
        precedes: order({ t($1, $0) }, k), sectionName: { $0.s ?? "" }),
      Self(
        name: "where t != k sort t section k", sort: ["t"], section: "k",
        precedes: order(t), sectionName: { String($0.k) },
        format: "t != k", matches: { $0.t != $0.k }),
      Self(
        name: "where k > 1 sort t", sort: ["t"], section: nil,
        precedes: order(t), sectionName: { _ in "" }, format: "k > 1", matches: { $0.k > 1 }),
      Self(
        name: "where t != k sort s k section s", sort: ["s", "k"], section: "s",
        precedes: order(s, k), sectionName: { $0.s ?? "" },
        format: "t != k", matches: { $0.t != $0.k }),
      Self(
        name: "where s != nil AND k < 3 sort -b t section s", sort: ["-b", "t"], section: "s",
        precedes: order({ b($1, $0) }, t), sectionName: { $0.s ?? "" },
        format: "s != nil AND k < 3", matches: { $0.s != nil && $0.k < 3 }),
      Self(
        name: "sort s k section s limit 5 offset 1", sort: ["s", "k"], section: "s",
        precedes: order(s, k), sectionName: { $0.s ?? "" }, limit: 5, offset: 1),
    ] + withKeptLimits
  }
}
