extension Acknowledgement: CustomStringConvertible {
  /// The text of the line, as a comment.
  package var description: String { "# " + words }

  private var words: String {
    switch self {
    case .inserted(let object): object
    case .named(let name, let object): "\(name) is \(object)"
    case .changes(let inserted, let updated, let deleted):
      Self.list([(inserted, "inserted"), (updated, "updated"), (deleted, "deleted")])
    case .nothingMatched: "nothing matched"
    case .saved(0): "nothing to save"
    case .saved(let count): "saved \(Self.count(count, "object"))"
    case .rolledBack(0): "nothing to roll back"
    case .rolledBack(let count): "rolled back \(Self.count(count, "object"))"
    case .reset: "the context is empty; controllers have to fetch again"
    case .context(let name): "perform \(name) { … } runs statements on it"
    case .nothingTo(let word): "nothing to \(word)"
    case .entity(let name, []): "entity \(name)"
    case .entity(let name, let attributes): "entity \(name): " + attributes.joined(separator: ", ")
    case .request(let name): "fetch \(name) prints its rows; a controller can use it"
    case .controller(let name): "fetch \(name) to get its results"
    case .fetched(let name, nil, let objects): "\(name): \(Self.count(objects, "object"))"
    case .fetched(let name, let sections?, let objects):
      "\(name): \(Self.count(sections, "section")), \(Self.count(objects, "object"))"
    case .requestChanged(let name): "it takes effect with the next 'fetch \(name)'"
    case .tracksNothing(let name): "without a delegate \(name) tracks no changes"
    case .table(let name, nil): "show \(name) draws it"
    case .table(let name, let controller?): "fetch \(controller) fills it, show \(name) draws it"
    case .suspended(let name): "\(name) does not follow changes until resume \(name)"
    case .resumed(let name): "\(name) follows changes again, from the next turn on"
    case .values(let text): text
    case .unfetched(let name):
      "\(name) does not follow changes yet: fetch it first with 'fetch \(name)'"
    }
  }

  private static func list(_ parts: [(count: Int, word: String)]) -> String {
    parts.filter { $0.count > 0 }.map { "\($0.count) \($0.word)" }.joined(separator: ", ")
  }

  private static func count(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }
}
