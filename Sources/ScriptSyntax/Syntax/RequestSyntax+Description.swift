import PredicateSyntax

extension RequestSyntax: CustomStringConvertible {
  /// The source and its clauses in a fixed order.
  ///
  /// A predicate's arguments appear as `%@`.
  package var description: String {
    ([source.text + (isExact ? ".self" : "")] + clauses.texts).joined(separator: " ")
  }
}

extension RequestClauses {
  fileprivate var texts: [String] {
    var texts: [String] = []
    if let predicate { texts.append("where \(predicate.tree)") }
    if let sort {
      texts.append("sort by " + sort.map(\.description).joined(separator: ", "))
    }
    if let section { texts.append("section by \(section.text)") }
    if let limit { texts.append("limit \(limit)") }
    if let offset { texts.append("offset \(offset)") }
    if let batch { texts.append("batch \(batch)") }
    if let cache { texts.append("cache \(cache)") }
    texts += controllerOptions.map { $0.option.rawValue + ($0.isOn ? "" : " off") }
    if let prefetch { texts.append("prefetch " + prefetch.map(\.text).joined(separator: ", ")) }
    texts += options.map { "\($0.option.rawValue) \($0.isOn ? "on" : "off")" }
    if let fetchedValues {
      texts.append("values " + fetchedValues.map(\.description).joined(separator: ", "))
    }
    if let groups { texts.append("group by " + groups.map(\.text).joined(separator: ", ")) }
    if let having { texts.append("having \(having.tree)") }
    if isDistinct { texts.append("distinct") }
    if let result { texts.append("returning \(result.rawValue)") }
    return texts
  }
}

extension SortSyntax: CustomStringConvertible {
  /// `title`, `lastModified desc`, `title using localized`.
  package var description: String {
    keyPath.text + (isAscending ? "" : " desc")
      + (selector == .binary ? "" : " using \(selector.rawValue)")
  }
}

extension FetchedValueSyntax: CustomStringConvertible {
  /// `publisher`, `sum(pages) as total`.
  package var description: String {
    (function.map { "\($0.rawValue)(\(keyPath.text))" } ?? keyPath.text)
      + (alias.map { " as \($0.text)" } ?? "")
  }
}
