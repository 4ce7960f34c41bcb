import Basics
package import FetchedResults

/// Two contexts of one store, whose observers must publish what a naive model publishes: the rows of
/// a fetch, if they or their values differ from those of the last publication.
package final class ObservedWorld {
  private let contexts: [ManagedObjectContext]
  private let places: [Place]
  private let book: EntityDescription
  private var random: SeededGenerator
  private let seed: UInt64
  private var trail: [String] = []
  /// How many batches the observers with `updates: .turns` have published.
  package var batches: Int { places.reduce(0) { $0 + $1.batchCount } }
  /// How many differences were published after saves.
  package var savedDifferences: Int { places.reduce(0) { $0 + $1.differenceCount } }

  /// - Parameter contexts: Two contexts of one store, with books.
  package init(seed: UInt64, contexts: [ManagedObjectContext], book: EntityDescription) throws {
    self.seed = seed
    self.contexts = contexts
    self.book = book
    var random = SeededGenerator(seed: seed)
    for context in contexts { context.mergePolicy = .mergeByPropertyObjectTrump }
    try BookShelf.change(in: contexts[0], of: book, using: &random)
    try contexts[0].save()
    var places: [Place] = []
    for context in contexts {
      for updates in [ObservedResults.Updates.saves, .saves, .turns] {
        places.append(try Place(context, book, updates, using: &random))
      }
    }
    self.places = places
    self.random = random
  }

  /// Does something at random, and ends the turns.
  ///
  /// - Returns: What is wrong afterwards; nil if nothing is.
  package func turn() throws -> String? {
    for place in places { place.beginTurn() }
    let index = random.number(0...1)
    for _ in 0..<random.number(1...3) {
      try act(in: contexts[index])
      // Before the end of the turn, the rows are those of the last publication.
      for place in places {
        if let problem = place.problem() { return report(problem) }
      }
    }
    for place in places { place.endActions() }
    let isOther = random.chance(2)
    for (place, context) in contexts.enumerated() where place == index || isOther {
      note("turn \(place)")
      context.processPendingChanges()
    }
    for place in places {
      let hasEnded = isOther || place.context === contexts[index]
      if let problem = try place.problemAfterTurn(hasEnded, using: &random) {
        return report(problem)
      }
      if hasEnded { place.isSaved = false }
    }
    return nil
  }

  private func act(in context: ManagedObjectContext) throws {
    let name = context === contexts[0] ? "0" : "1"
    switch random.number(0...11) {
    case 0...4:
      note("change \(name)")
      try BookShelf.change(in: context, of: book, using: &random)
    case 5...7:
      note("save \(name)")
      for place in places { place.isSaved = true }
      try context.save()
    case 8:
      note("rollback \(name)")
      for place in places where place.context === context { place.isRolledBack = true }
      context.rollback()
    case 9:
      note("same values \(name)")
      for object in try context.fetch(FetchRequest(entity: book)).prefix(2) {
        object["title"] = object["title"]
      }
    case 10:
      guard let place = places.randomElement(using: &random) else { return }
      note("set")
      try place.set(using: &random)
    default:
      guard random.chance(4) else { return }
      note("reset \(name)")
      for place in places where place.context === context { place.isReset = true }
      context.reset()
    }
  }

  private func note(_ what: String) { trail.append(what) }

  private func report(_ problem: String) -> String {
    "seed \(seed): \(problem)\n\(trail.suffix(30).joined(separator: "\n"))"
  }
}

/// An observer of a context, and what it has published.
private final class Place {
  let context: ManagedObjectContext
  let observed: ObservedResults
  /// A controller of the same request, which an observer of turns must agree with.
  private let controller: FetchedResultsController
  /// Whether somebody has saved since the context last ended a turn.
  var isSaved = false
  var isReset = false
  /// Whether the turn has rolled back; an unsaved deletion may have hidden what others saved.
  var isRolledBack = false
  /// Whether the last publication had unsaved changes, and whether it had at the turn's beginning.
  private var hasUnsaved = false
  private var hadUnsaved = false
  private(set) var batchCount = 0
  private(set) var differenceCount = 0
  /// The published sections, by replaying what was published.
  private var sections: [FetchedResultsSnapshot.Section]
  /// The values that were published with the rows.
  private var values: [ObjectID: String]
  /// Rows that are kept, and what they must show.
  private var kept: (rows: PublishedRows, sections: [FetchedResultsSnapshot.Section])?
  /// What the turn has published.
  private var publications: [ObservedResults.Publication] = []
  private var earlyCount = 0
  private var reported: [SectionedDifference] = []
  private var failure: String?
  /// The last differences, and the sections before them, to compose.
  private var chain: (start: [FetchedResultsSnapshot.Section], links: [SectionedDifference])
  private var slowReader:
    (
      iterator: ComposedChanges.Iterator, sections: [FetchedResultsSnapshot.Section]
    )?

  init(
    _ context: ManagedObjectContext, _ book: EntityDescription, _ updates: ObservedResults.Updates,
    using random: inout SeededGenerator
  ) throws {
    self.context = context
    let section = random.chance(3) ? nil : ["genre", "pages"][random.number(0...1)]
    var request = FetchRequest(entity: book)
    request.predicate = try Self.predicate(using: &random)
    request.sortDescriptors = Self.sort(using: &random)
    if random.chance(4) {
      request.fetchLimit = 6
      request.fetchOffset = random.number(0...2)
    }
    observed = try ObservedResults(
      fetchRequest: request, sectionNameKeyPath: section, managedObjectContext: context,
      updates: updates, isolation: nil)
    controller = try FetchedResultsController(
      fetchRequest: observed.fetchRequest, managedObjectContext: context,
      sectionNameKeyPath: section)
    controller.keepsFetchLimit = true
    try controller.performFetch()
    sections = observed.rows.sectionIdentifiers
    values = [:]
    chain = (sections, [])
    values = currentValues
    observed.observe { [unowned self] in receive($0) }
    controller.observe { [unowned self] difference in
      if difference.replacement == nil { reported.append(difference) }
    }
  }

  private static func predicate(
    using random: inout SeededGenerator
  ) throws -> FetchPredicate? {
    switch random.number(0...3) {
    case 0: nil
    case 1: try FetchPredicate(format: "pages < 90")
    case 2: try FetchPredicate(format: "pages < 40 OR genre == 'a'")
    default: try FetchPredicate(format: "genre != 'b'")
    }
  }

  private static func sort(using random: inout SeededGenerator) -> [FetchSortDescriptor] {
    // A controller needs a sort key, and an observer without sections none.
    let keys = [["title"], ["pages", "title"], ["genre"]][random.number(0...2)]
    return keys.map { FetchSortDescriptor(key: $0, ascending: random.chance(2)) }
  }

  private var currentValues: [ObjectID: String] {
    Dictionary(
      observed.rows.map { ($0.objectID, "\($0["title"]) \($0["genre"]) \($0["pages"])") },
      uniquingKeysWith: { first, _ in first })
  }

  func beginTurn() {
    publications = []
    reported = []
    isReset = false
    isRolledBack = false
    hadUnsaved = hasUnsaved
  }

  /// Notes what was published before the end of the turn, by a setter.
  func endActions() { earlyCount = publications.count }

  /// Sets the predicate or the sort keys.
  func set(using random: inout SeededGenerator) throws {
    if random.chance(2) {
      let wrong = random.chance(4) ? try FetchPredicate(format: "nosuch == 1") : nil
      observed.setPredicate(try wrong ?? Self.predicate(using: &random))
      if wrong != nil {
        if observed.fetchError == nil { failure = "a wrong predicate was accepted" }
        return
      }
    } else {
      observed.setSortDescriptors(Self.sort(using: &random))
    }
    controller.fetchRequest = observed.fetchRequest
    try controller.performFetch()
    if let problem = try fetchProblem(isSettled: !isSaved) {
      failure = failure ?? "after a setter: \(problem)"
    }
  }

  private func receive(_ publication: ObservedResults.Publication) {
    publications.append(publication)
    hasUnsaved = context.hasChanges
    // A setter publishes unsaved changes, also those of the present turn.
    if hasUnsaved, publication.difference == nil { hadUnsaved = true }
    let old = sections
    switch publication.change {
    case .difference(let difference):
      if publication.oldCount != count(sections) { failure = "the old count is wrong" }
      do { try difference.apply(to: &sections) } catch { failure = failure ?? "\(error)" }
      if observed.updates == .turns { batchCount += 1 } else { differenceCount += 1 }
      chain.links.append(difference)
      if chain.links.count == 3 { checkChain(old) }
    case .replaced:
      sections = observed.rows.sectionIdentifiers
      chain = (sections, [])
    }
    if publication.newCount != count(sections) { failure = "the new count is wrong" }
    let new = currentValues
    if observed.updates == .saves, case .difference(let difference) = publication.change {
      checkValues(of: difference, new)
    }
    values = new
  }

  private func count(_ sections: [FetchedResultsSnapshot.Section]) -> Int {
    sections.reduce(0) { $0 + $1.itemIdentifiers.count }
  }

  /// An update is published only of an object whose values differ.
  private func checkValues(of difference: SectionedDifference, _ new: [ObjectID: String]) {
    if difference.isEmpty { failure = failure ?? "an empty difference was published" }
    for change in difference.objects where change.type == .update {
      if values[change.objectID] == new[change.objectID] {
        failure = failure ?? "\(change.objectID) has its old values \(new[change.objectID] ?? "")"
      }
    }
  }

  /// Three differences in a row compose in both ways to the same, which leads to the same sections.
  private func checkChain(_ beforeLast: [FetchedResultsSnapshot.Section]) {
    let (start, links) = chain
    do {
      let pair = try links[0].composed(with: links[1])
      let left = try pair.composed(with: links[2])
      let right = try links[0].composed(with: try links[1].composed(with: links[2]))
      if form(left) != form(right) {
        failure = failure ?? "composition is not associative: \(links)\n\(left)\n\(right)"
      }
      var replayed = start
      try pair.apply(to: &replayed)
      if replayed != beforeLast { failure = failure ?? "a composed pair gives other sections" }
      replayed = start
      try left.apply(to: &replayed)
      if replayed != sections { failure = failure ?? "composed differences give other sections" }
    } catch {
      failure = failure ?? "differences do not compose: \(error)"
    }
    chain = (sections, [])
  }

  /// What a difference changes, without the rules.
  private func form(_ difference: SectionedDifference) -> [String] {
    difference.deletedSections.map { "delete section \($0.index) \($0.name)" }
      + difference.insertedSections.map { "insert section \($0.index) \($0.name)" }
      + difference.objects.map {
        "\($0.type) \($0.objectID) \($0.indexPath as Any) \($0.newIndexPath as Any)"
      }
  }

  /// What is wrong at any time; nil if nothing is.
  func problem() -> String? {
    if let failure { return failure }
    let rows = observed.rows
    guard rows.sectionIdentifiers == sections else {
      return "shows \(rows.sectionIdentifiers), published \(sections)"
    }
    // Nothing may stop the program, also where objects were deleted since.
    for object in rows { _ = object["title"] }
    guard rows.count == count(sections) else { return "the number of rows is wrong" }
    if let kept, kept.rows.sectionIdentifiers != kept.sections {
      return "kept rows show \(kept.rows.sectionIdentifiers) instead of \(kept.sections)"
    }
    return nil
  }

  /// What is wrong after a turn; nil if nothing is.
  ///
  /// - Parameter hasEnded: Whether the context has ended the turn, and so merged what was saved.
  func problemAfterTurn(_ hasEnded: Bool, using random: inout SeededGenerator) throws -> String? {
    if let problem = problem() { return problem }
    if let error = observed.fetchError, observed.updates == .turns, !isRefused(error) {
      return "stopped: \(error)"
    }
    if let problem = placeProblem(using: &random) { return problem }
    switch observed.updates {
    case .turns:
      let differences = publications.compactMap(\.difference)
      if !isReset, differences != reported {
        return "published \(differences), a controller reports \(reported)"
      }
    case .saves:
      if !isSaved, !hadUnsaved, !isRolledBack,
        publications.contains(where: { $0.difference != nil })
      {
        return "published, although nobody has saved"
      }
    }
    if isReset { try controller.performFetch() }
    let mustMatch =
      observed.updates == .turns || publications.count > earlyCount || !context.hasChanges
    if hasEnded, mustMatch, let problem = try fetchProblem() { return problem }
    if random.chance(6) {
      kept = random.chance(3) ? nil : (observed.rows, sections)
    }
    return try readerProblem(using: &random)
  }

  /// Whether an error is that of a wrong predicate, which a setter refused.
  private func isRefused(_ error: FetchedResultsError) -> Bool {
    if case .fetch(.predicate) = error { true } else { false }
  }

  /// A reader that takes changes now and then gets one difference that leads to the sections.
  private func readerProblem(using random: inout SeededGenerator) throws -> String? {
    guard random.chance(5) else { return nil }
    if slowReader == nil { slowReader = (observed.changes.makeAsyncIterator(), []) }
    guard var reader = slowReader, let difference = reader.iterator.takeNow() else { return nil }
    try difference.apply(to: &reader.sections)
    slowReader = reader
    return reader.sections == sections
      ? nil : "a slow reader has \(reader.sections) instead of \(sections)"
  }

  /// Index paths and objects lead to each other, and each section occurs once.
  private func placeProblem(using random: inout SeededGenerator) -> String? {
    let rows = observed.rows
    let names = sections.map(\.identifier)
    if Set(names).count != names.count { return "a section occurs twice: \(names)" }
    for (index, name) in names.enumerated()
    where rows.sections.index(ofSectionNamed: name) != index || rows.sections[index].name != name {
      return "section \(name) is not found at \(index)"
    }
    guard !rows.isEmpty else { return nil }
    let place = random.number(0...rows.count - 1)
    let object = rows[place]
    guard let path = rows.indexPath(of: object.objectID), rows.object(at: path) === object,
      sections[path.section].itemIdentifiers[path.row] == object.objectID,
      rows.sections[path.section][path.row] === object
    else { return "row \(place) is not found again" }
    return nil
  }

  /// How the results differ from those of a fetch in the context; nil if they do not.
  ///
  /// The fetch is the naive model.
  ///
  /// - Parameter isSettled: Whether what others saved was merged. Before, a fetch places it by its
  ///   new values, and the objects have the old ones.
  private func fetchProblem(isSettled: Bool = true) throws -> String? {
    let request = observed.fetchRequest
    // A fetch cuts the saved rows; the limit of an observer counts unsaved ones, too.
    var all = request
    (all.fetchLimit, all.fetchOffset) = (0, 0)
    let matching = try context.fetch(all).dropFirst(request.fetchOffset)
    let found = Array(request.fetchLimit > 0 ? matching.prefix(request.fetchLimit) : matching)
    guard Array(observed.rows.map(\.objectID)) == found.map(\.objectID) else {
      return "\(observed.updates) shows \(observed.rows.map(\.objectID)) of \(request), "
        + "a fetch \(found.map(\.objectID)); \(publications), waiting: "
        + "\(observed.unpublishedDifference.map { "\($0)" } ?? "unknown")"
    }
    guard isSettled, let path = observed.sectionNameKeyPath else { return nil }
    guard request.sortDescriptors.first?.key == path else { return "the section key is not first" }
    var expected: [FetchedResultsSnapshot.Section] = []
    for object in found {
      let value = object[path]
      let name = value == .null ? "" : value.description
      if expected.last?.identifier == name, let last = expected.popLast() {
        expected.append(
          .init(identifier: name, itemIdentifiers: last.itemIdentifiers + [object.objectID]))
      } else {
        expected.append(.init(identifier: name, itemIdentifiers: [object.objectID]))
      }
    }
    return sections == expected ? nil : "has sections \(sections), a fetch \(expected)"
  }
}
