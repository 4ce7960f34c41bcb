/// The results of a fetch that publish themselves when they are saved, as SwiftData's
/// ResultsObserver does.
///
/// ```swift
/// let books = try ObservedResults(
///   fetchRequest: request, sectionNameKeyPath: "publisher", managedObjectContext: context)
/// books.observe { publication in print(publication.newCount) }
/// context.insert(book)["title"] = "Dune"
/// try context.save()     // published at the end of this turn
/// ```
///
/// It has a controller of its own, and adds the rule when to publish. The controller decides
/// each batch. The observer joins the batches since the last publication into one difference.
///
/// - It fetches at once, and needs no sort keys: the identity of an object is the last one. The
///   section key is the first, so rows of a section always follow one another.
/// - It publishes at the end of the turn of a save, and after it has merged what others saved; see
///   ``Updates``. It makes its context merge by itself
///   (``ManagedObjectContext/automaticallyMergesChangesFromParent``).
/// - Between two publications, ``rows`` stay as they are.
/// - A change of the predicate or of the sort keys fetches again at once.
///
/// What Apple documents, what others have measured and what is assumed here is listed in frc's
/// Documentation/Decisions.md.
///
/// Not `Sendable`; see ``PersistentStoreCoordinator``.
public final class ObservedResults {
  /// When results are published.
  public enum Updates: String, Hashable, Sendable, CaseIterable {
    /// At the end of the turn of a save, and after a merge of what others saved.
    case saves
    /// With each batch of changes, as by a controller.
    case turns
  }

  /// One publication of the results.
  public struct Publication: Sendable {
    /// The number of objects before.
    public let oldCount: Int
    /// The number of objects now.
    public let newCount: Int
    /// The change of the results.
    public let change: Change

    /// The difference; nil if the results were replaced.
    public var difference: SectionedDifference? {
      if case .difference(let difference) = change { difference } else { nil }
    }
  }

  /// The change of a publication.
  public enum Change: Hashable, Sendable {
    /// The objects and sections that changed since the last publication.
    ///
    /// It is empty if only a save of other objects was the reason; see
    /// ``ObservedResults/firesOnUnrelatedSaves``.
    case difference(SectionedDifference)
    /// All results were replaced.
    case replaced(Replacement)
  }

  /// The reason why all results were replaced.
  public enum Replacement: String, Hashable, Sendable {
    /// The predicate or the sort keys were set, or ``ObservedResults/refetch()`` was called.
    case refetched
    /// The context was reset.
    case reset
    /// New objects got other numbers, because another process took theirs.
    case renumbered
  }

  /// When results are published.
  public let updates: Updates
  /// The controller that follows the context.
  package let controller: FetchedResultsController
  /// The sort keys as they were given, without the section key.
  public private(set) var sortDescriptors: [FetchSortDescriptor]
  /// The reason why the last fetch failed, or why the results no longer follow the context; nil
  /// otherwise.
  ///
  /// The results then stay as they were.
  public var fetchError: FetchedResultsError? { failure ?? controller.trackingError }
  /// Whether every save of an object of the entity is published, also of one that is not in the
  /// results; and once the first save of a new object of another entity.
  ///
  /// Others have measured this of Apple's observer. Such a publication has an empty difference.
  public var firesOnUnrelatedSaves = false

  /// Called before the published rows change, and before ``fetchError`` does.
  package var willPublish: (() -> Void)?
  /// Called after ``fetchError`` has changed because of a fetch.
  package var didFail: (() -> Void)?

  private var failure: FetchedResultsError?
  /// The published rows.
  private var current: PublishedVersion
  /// Earlier published rows that are still in use.
  private var kept: [WeakVersion] = []
  /// How the objects were before their first change since the last publication, by number.
  private var before: [Int64: Before] = [:]
  /// What was published and not delivered yet.
  private var waiting: [Publication] = []
  private var isDelivering = false
  private var publicationCount = 0
  private var observers: [ObservedResultsObservation] = []
  private var readers: [WeakChangeBuffer] = []
  /// Why the results are to be replaced; nil if they are not.
  private var replacement: Replacement?
  /// Whether the context calls this observer at the end of the turn.
  private var isAwaited = false
  /// Whether it then publishes, even if changes are unsaved.
  private var mustPublish = false
  private var isFetching = false
  private var unrelated = UnrelatedChanges()
  /// Wakes a task on the context's actor that ends the turn; nil if the caller ends turns.
  private var wake: (@Sendable () -> Void)?
  private var endWaking: (@Sendable () -> Void)?

  /// Creates an observer, and fetches.
  ///
  /// If the caller is on an actor, the observer publishes there by itself after a save. Otherwise it
  /// publishes with the next ``ManagedObjectContext/processPendingChanges()``.
  ///
  /// - Parameters:
  ///   - fetchRequest: The request. It needs no sort keys.
  ///   - sectionNameKeyPath: The key path of the section names; nil for one section.
  ///   - managedObjectContext: The context, which the observer keeps.
  ///   - updates: When results are published.
  ///   - isolation: The actor that uses the context: the caller's.
  /// - Throws: ``FetchedResultsError`` if the first fetch fails.
  /// - Complexity: O(*n* log *n*) in the entity's objects.
  public init(
    fetchRequest: FetchRequest, sectionNameKeyPath: String? = nil,
    managedObjectContext: ManagedObjectContext, updates: Updates = .saves,
    isolation: isolated (any Actor)? = #isolation
  ) throws(FetchedResultsError) {
    self.updates = updates
    sortDescriptors = fetchRequest.sortDescriptors
    controller = FetchedResultsController(
      hiddenFor: Self.completed(fetchRequest, section: sectionNameKeyPath), managedObjectContext,
      section: sectionNameKeyPath)
    controller.keepsFetchLimit = true
    try controller.performFetch()
    guard let state = controller.state else { throw FetchedResultsError.notFetched }
    current = PublishedVersion(state)
    managedObjectContext.automaticallyMergesChangesFromParent = true
    managedObjectContext.addReceiver(self)
    controller.follower = ResultsFollower(
      didChange: { [weak self] in self?.didChange($0, $1) },
      wereReplaced: { [weak self] in self?.wereReplaced() })
    guard isolation != nil else { return }
    let (saves, signal) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    wake = { signal.yield() }
    endWaking = { signal.finish() }
    Task { [weak context = managedObjectContext] in
      // The task is on the caller's actor, since it names the actor.
      _ = isolation
      for await _ in saves { context?.processPendingChanges() }
    }
  }

  deinit {
    endWaking?()
    for reader in readers { reader.buffer?.end() }
  }
}

// MARK: - Results

extension ObservedResults {
  /// The published objects, in order and in sections.
  public var rows: PublishedRows { PublishedRows(version: current) }

  /// The context whose changes are followed.
  public var managedObjectContext: ManagedObjectContext { controller.managedObjectContext }

  /// The key path of the section names; nil for one section.
  public var sectionNameKeyPath: String? { controller.sectionNameKeyPath }

  /// The request of the results, with the section key in front of its sort keys.
  ///
  /// Objects with equal values are in the order of their identities.
  public var fetchRequest: FetchRequest { controller.fetchRequest }

  /// The predicate of the results; nil for all objects of the entity.
  public var predicate: FetchPredicate? { controller.fetchRequest.predicate }

  /// Whether a change of a related object counts as a change of the objects that lead to it.
  ///
  /// The next fetch applies a new value; see
  /// ``FetchedResultsController/tracksRelatedObjects``.
  public var tracksRelatedObjects: Bool {
    get { controller.tracksRelatedObjects }
    set { controller.tracksRelatedObjects = newValue }
  }

  /// Whether the offset and the limit of the request hold after changes; true by default.
  ///
  /// The next fetch applies a new value. Apple's observer is assumed to fetch after a change, and a
  /// fetch applies the limit.
  public var keepsFetchLimit: Bool {
    get { controller.keepsFetchLimit }
    set { controller.keepsFetchLimit = newValue }
  }

  /// The changes since the last publication, which wait for a save; nil if they are unknown.
  ///
  /// - Complexity: O(*k* log *k*) for *k* changes.
  public var unpublishedDifference: SectionedDifference? {
    replacement == nil ? netDifference() : nil
  }

  /// Calls `handler` with each publication, until the observation is cancelled or the observer of
  /// results is released.
  ///
  /// Handlers are called in the order in which they were added, where the context is used. They may
  /// change objects, save, and set the predicate; what that publishes is delivered after the
  /// present publication.
  @discardableResult
  public func observe(
    _ handler: @escaping (Publication) -> Void
  ) -> ObservedResultsObservation {
    let observation = ObservedResultsObservation(handler)
    observers.removeAll(where: \.isCancelled)
    observers.append(observation)
    return observation
  }
}

extension ObservedResults {
  /// The changes of the published results, for a reader on any actor: first everything as it is,
  /// then what was published since the reader took the last element.
  ///
  /// Each access makes a sequence of its own.
  ///
  /// - Complexity: O(*n*) for the first element. Then O(*k* log² *k*) in all for *k* changes.
  public var changes: ComposedChanges {
    let changes = ComposedChanges(beginningWith: current.sections())
    readers.removeAll { $0.buffer == nil }
    readers.append(WeakChangeBuffer(buffer: changes.buffer))
    return changes
  }

  private struct WeakChangeBuffer {
    weak var buffer: ComposedChanges.ChangeBuffer?
  }

  /// Adds a publication to what the readers of ``changes`` have not taken yet.
  private func send(_ change: Change) {
    guard !readers.isEmpty else { return }
    let all = { SectionedDifference(replacingBy: self.current.sections()) }
    for reader in readers {
      switch change {
      case .difference(let difference): reader.buffer?.add(difference, orElse: all)
      case .replaced: reader.buffer?.add(all(), orElse: all)
      }
    }
  }
}

/// An observation of published results; see ``ObservedResults/observe(_:)``.
public final class ObservedResultsObservation {
  private var handler: ((ObservedResults.Publication) -> Void)?

  fileprivate init(_ handler: @escaping (ObservedResults.Publication) -> Void) {
    self.handler = handler
  }

  /// Ends the observation.
  public func cancel() { handler = nil }

  fileprivate var isCancelled: Bool { handler == nil }

  fileprivate func tell(_ publication: ObservedResults.Publication) { handler?(publication) }
}

// MARK: - Fetching again

extension ObservedResults {
  /// Sets the predicate, and fetches at once.
  ///
  /// If the fetch fails, the request and the results stay as they were, and ``fetchError`` says
  /// why.
  ///
  /// - Complexity: O(*n* log *n*) in the entity's objects.
  public func setPredicate(_ predicate: FetchPredicate?) { set(predicate) }

  /// Sets the sort keys, and fetches at once.
  ///
  /// The section key is put in front of them. If the fetch fails, the request and the results stay
  /// as they were, and ``fetchError`` says why.
  ///
  /// - Complexity: O(*n* log *n*) in the entity's objects.
  public func setSortDescriptors(_ descriptors: [FetchSortDescriptor]) { set(descriptors) }

  /// Sets the predicate, and returns whether the fetch succeeded.
  @discardableResult
  package func set(_ predicate: FetchPredicate?) -> Bool {
    fetch(.refetched) { $0.predicate = predicate }
  }

  /// Sets the sort keys, and returns whether the fetch succeeded.
  @discardableResult
  package func set(_ descriptors: [FetchSortDescriptor]) -> Bool {
    let section = sectionNameKeyPath
    let isFetched = fetch(.refetched) { request in
      request.sortDescriptors = descriptors
      request = Self.completed(request, section: section)
    }
    if isFetched { sortDescriptors = descriptors }
    return isFetched
  }

  /// Fetches at once, for example after an error.
  ///
  /// - Complexity: O(*n* log *n*) in the entity's objects.
  public func refetch() { fetch(.refetched) }

  @discardableResult
  private func fetch(
    _ reason: Replacement, _ change: (inout FetchRequest) -> Void = { _ in }
  ) -> Bool {
    // Those who are called may set the request, too.
    announce()
    // Changes until now belong to the old results, in case they stay.
    managedObjectContext.process()
    let old = (request: controller.fetchRequest, state: controller.state)
    let sequence = managedObjectContext.sequence
    let count = current.rowCount
    isFetching = true
    defer { isFetching = false }
    do {
      change(&controller.fetchRequest)
      try controller.replaceResults()
    } catch {
      failure = error
      defer { didFail?() }
      controller.fetchRequest = old.request
      controller.state = old.state
      if managedObjectContext.sequence != sequence { old.state?.mustFetch = true }
      return false
    }
    guard let state = controller.state else { return false }
    failure = nil
    replacement = nil
    // All that was saved until now is in these results. Later changes wait for a save of their own.
    mustPublish = unrelated.isSaved || unrelated.isMerged
    replaceCurrent(by: PublishedVersion(state))
    tell(Publication(oldCount: count, newCount: current.rowCount, change: .replaced(reason)))
    return true
  }

  /// Puts the section key in front of the sort keys, unless it is there already.
  ///
  /// A first sort key that ignores case, for example, may mix the rows of several sections. The
  /// section key is then added after it, and separates them.
  private static func completed(_ request: FetchRequest, section: String?) -> FetchRequest {
    guard let section, !mutation(.sectionKeyNotPrepended) else { return request }
    let first = request.sortDescriptors.first
    if let first, first.key == section, first.selector == .compare { return request }
    var request = request
    request.sortDescriptors.insert(
      FetchSortDescriptor(key: section), at: first?.key == section ? 1 : 0)
    return request
  }
}

// MARK: - Publishing

extension ObservedResults {
  /// How an object was before its first change since the last publication.
  private struct Before {
    /// Nil if it did not exist, or if its values are unknown.
    let snapshot: ObjectSnapshot?
    let existed: Bool
    /// Whether it counts as changed even if its values are the same.
    let isChanged: Bool
  }

  private struct WeakVersion {
    weak var version: PublishedVersion?
  }

  private func didChange(_ difference: SectionedDifference, _ outcome: BatchOutcome) {
    current.append(difference, outcome)
    for old in kept.compactMap(\.version) where old.state === current.state {
      old.append(difference, outcome)
    }
    if updates == .turns { return publish() }
    let changes = outcome.batch.changes
    let isFromSource = outcome.refetched != nil || changes.contains(where: \.isFromSource)
    let named = Set(difference.objects.map(\.objectID.number))
    let root = current.state.root
    for change in changes
    where change.objectID.entity.root === root && named.contains(change.objectID.number) {
      note(change)
    }
    if outcome.refetched != nil { noteOthers(named) }
    if isFromSource || mutation(.publishedUnsaved) { awaitEndOfTurn() }
  }

  private func note(_ change: ObjectChange) {
    let number = change.objectID.number
    let isChanged = !change.isBeforeKnown || change.causes.contains(.related)
    if let known = before[number], known.isChanged || !isChanged { return }
    // A fetch may have found the object before a merge brings it.
    let isRow = change.isArrival && current.indexPath(of: number) != nil
    let snapshot = isRow ? change.known : change.before
    before[number] = Before(
      snapshot: snapshot, existed: before[number]?.existed ?? (snapshot != nil),
      isChanged: isChanged)
  }

  /// Forgets how new objects were that a batch has deleted before they were saved.
  ///
  /// Only undo brings them back, and then as new ones.
  private func forgetDrafts(in batch: ContextChanges) {
    if before.isEmpty { return }
    let root = current.state.root
    for (change, object) in zip(batch.changes, batch.objects)
    where change.after == nil && object.isNewAndGone && object.entity.root === root {
      let number = change.objectID.number
      if before[number]?.existed == false { before[number] = nil }
    }
  }

  /// Notes that a fetch has found changes of objects, which no change of the batch names.
  private func noteOthers(_ numbers: Set<Int64>) {
    for number in numbers where before[number] == nil {
      before[number] = Before(snapshot: nil, existed: true, isChanged: true)
    }
  }

  private func wereReplaced() {
    if isFetching { return }
    // The same results have other numbers now; see contextDidRenumber.
    replacement =
      controller.state == nil
      ? .reset
      : controller.state === current.state
        ? .renumbered : .refetched
    awaitEndOfTurn()
  }

  /// Lets the end of the turn publish.
  ///
  /// - Parameter onlyIfSaved: Whether it does so only if nothing is unsaved then.
  private func awaitEndOfTurn(onlyIfSaved: Bool = false) {
    if !onlyIfSaved { mustPublish = true }
    if isAwaited { return }
    isAwaited = true
    managedObjectContext.tellAtEndOfTurn(self)
    wake?()
  }

  /// The difference since the last publication; nil if it is not known.
  ///
  /// Objects whose values are as they were do not count as changed.
  private func netDifference() -> SectionedDifference? {
    guard var difference = current.difference() else { return nil }
    if updates == .turns || mutation(.rollbackPublished) { return difference }
    var unchanged: Set<ObjectID> = []
    let root = current.state.root
    difference.objects = difference.objects.map { change in
      let isRow = change.indexPath != nil && change.newIndexPath != nil
      guard let before = before[change.objectID.number] else {
        // A limit took it out, and let it in again.
        if isRow { unchanged.insert(change.objectID) }
        return change
      }
      if isRow, !before.isChanged,
        let object = managedObjectContext.registered(change.objectID.number, in: root),
        !object.isFault, object.snapshot == before.snapshot
      {
        unchanged.insert(change.objectID)
      }
      return change.withReason(existed: before.existed)
    }
    return difference.without(unchanged)
  }

  /// Publishes what has changed since the last publication, if anything has.
  private func publish() {
    let isUnrelated = unrelated.take()
    if let reason = replacement { return publishReplacement(reason) }
    guard var difference = netDifference() else { return publishReplacement(.refetched) }
    guard !difference.isEmpty || isUnrelated else {
      current.catchUp()
      before = [:]
      return
    }
    let sequence = managedObjectContext.sequence
    // After a reset, the next turn fetches.
    guard announce(), replacement == nil else { return }
    if managedObjectContext.sequence != sequence {
      guard let net = netDifference() else { return publishReplacement(.refetched) }
      difference = net
    }
    let count = current.rowCount
    if let state = controller.state {
      if isKnownUniquelyReferenced(&current) {
        current.catchUp()
        before = [:]
      } else {
        replaceCurrent(by: PublishedVersion(state))
      }
    }
    tell(
      Publication(
        oldCount: count, newCount: current.rowCount, change: .difference(difference)))
  }

  private func publishReplacement(_ reason: Replacement) {
    // A fetch also finds what was changed since the reset.
    if controller.state == nil {
      if fetch(reason) { return }
      // The next turn tries again.
      isAwaited = true
      mustPublish = true
      managedObjectContext.tellAtEndOfTurn(self)
      return
    }
    guard announce(), let state = controller.state else { return }
    replacement = nil
    let count = current.rowCount
    replaceCurrent(by: PublishedVersion(state))
    tell(Publication(oldCount: count, newCount: current.rowCount, change: .replaced(reason)))
  }

  /// Calls those who read the results, before the results change.
  ///
  /// - Returns: Whether they have caused no publication, after which there may be nothing left.
  @discardableResult
  private func announce() -> Bool {
    let count = publicationCount
    willPublish?()
    return publicationCount == count
  }

  /// Lets rows of earlier fetches that are still in use keep the objects that a batch deletes.
  ///
  /// The context forgets these objects after a save, and no controller has such rows any more.
  private func pinKeptRows(in batch: ContextChanges) {
    for old in kept.compactMap(\.version) where old.state !== current.state {
      let state = old.state
      for (change, object) in zip(batch.changes, batch.objects) where change.after == nil {
        let id = change.objectID
        guard id.entity.root === state.root, state.knownRows.contains(id.number) else { continue }
        state.pinned[id.number] = FetchedState.PinnedRow(snapshot: nil, object: object)
      }
    }
  }

  /// Gives rows that are still in use other numbers.
  private func renumberKeptRows(_ numbers: [Int64: Int64]) {
    // The controller has renumbered the present state.
    var renumbered: [FetchedState] = [current.state]
    for old in kept.compactMap(\.version) {
      old.renumber(numbers)
      if renumbered.contains(where: { $0 === old.state }) { continue }
      old.state.renumber(numbers)
      renumbered.append(old.state)
    }
  }

  private func replaceCurrent(by version: PublishedVersion) {
    before = [:]
    kept.removeAll { $0.version == nil }
    kept.append(WeakVersion(version: current))
    current = version
  }

  private func tell(_ publication: Publication) {
    publicationCount += 1
    send(publication.change)
    waiting.append(publication)
    if isDelivering { return }
    isDelivering = true
    defer { isDelivering = false }
    while !waiting.isEmpty {
      let next = waiting.removeFirst()
      observers.removeAll(where: \.isCancelled)
      for observer in observers { observer.tell(next) }
    }
  }
}

extension SectionedDifference.ObjectChange {
  /// Returns the change with the rule by which one batch would report it.
  fileprivate func withReason(existed: Bool) -> Self {
    let reason: ChangeReason
    switch self.reason {
    case .created, .startedMatching: reason = existed ? .startedMatching : .created
    case .deleted, .stoppedMatching, .enteredLimit, .leftLimit, .keptPlace, .passedUnchanged,
      .passedChanged, .changedSection, .sectionReordered, .samePathMove, .updateAndMove,
      .sectionChangeAsUpdate:
      return self
    }
    return Self(
      objectID: objectID, type: type, indexPath: indexPath, newIndexPath: newIndexPath,
      reason: reason)
  }
}

extension ObjectChange {
  /// Whether the object got values of its source: those that others saved, or that a conflict left.
  fileprivate var isFromSource: Bool {
    isArrival || !causes.isDisjoint(with: [.merged, .refreshed, .resolved, .invalidated])
  }
}

extension ObservedResults: TurnReceiver {
  func contextDidEndTurn() {
    let isWanted = mustPublish || !managedObjectContext.hasChanges
    (isAwaited, mustPublish) = (false, false)
    if isWanted { publish() }
  }
}

extension ObservedResults: ContextChangeReceiver {
  package func contextDidProcess(_ batch: ContextChanges, before later: [ContextChanges]) {
    pinKeptRows(in: batch)
    guard updates == .saves else { return }
    if current.isOutdated, !managedObjectContext.hasChanges { awaitEndOfTurn(onlyIfSaved: true) }
    // A row that a limit has taken out may change, and come in again.
    if let root = controller.state?.root, controller.keepsLimitNow {
      for change in batch.changes where change.objectID.entity.root === root { note(change) }
    }
    forgetDrafts(in: batch)
    guard firesOnUnrelatedSaves else { return }
    unrelated.note(batch, of: controller.fetchRequest.entity, in: managedObjectContext)
    if unrelated.isMerged { awaitEndOfTurn() }
  }

  package func contextDidReset() {}

  package func contextDidSave() {
    guard updates == .saves else { return }
    unrelated.didSave()
    if current.isOutdated || unrelated.isSaved { awaitEndOfTurn() }
  }

  package func contextDidRollBack() {
    // A setter may have published what the rollback undoes.
    if updates == .saves, current.isOutdated { awaitEndOfTurn(onlyIfSaved: true) }
  }

  package func holds(_ number: Int64, in root: EntityDescription) -> Bool { false }

  package func awaitsMerges(of entity: EntityDescription) -> Bool { firesOnUnrelatedSaves }

  package func heldNumbers() -> (entity: EntityDescription, numbers: [Int64])? { nil }

  package func contextDidRenumber(_ numbers: [Int64: Int64], in root: EntityDescription) {
    guard root === current.state.root else { return }
    current.renumber(numbers)
    renumberKeptRows(numbers)
    before = Dictionary(
      before.map { (numbers[$0.key] ?? $0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
  }
}

/// Saves of objects that are not in the results, for ``ObservedResults/firesOnUnrelatedSaves``.
private struct UnrelatedChanges {
  /// Whether an object of the results' entity has unsaved changes.
  private var isPending = false
  /// Whether an object of another entity is new, and none was saved before.
  private var isPendingForOthers = false
  /// Whether a new object of another entity was saved once.
  private var hasFiredForOthers = false
  private(set) var isSaved = false
  private(set) var isMerged = false

  mutating func note(
    _ batch: ContextChanges, of entity: EntityDescription, in context: ManagedObjectContext
  ) {
    var hasUndone = false
    for change in batch.changes {
      if !change.causes.isDisjoint(with: .undone) {
        hasUndone = true
      } else if change.objectID.entity.isKindOf(entity: entity) {
        if change.isFromSource { isMerged = true } else { isPending = true }
      } else if change.kind == .inserted, !hasFiredForOthers {
        if change.isFromSource {
          (isMerged, hasFiredForOthers) = (true, true)
        } else {
          isPendingForOthers = true
        }
      }
    }
    guard hasUndone else { return }
    if !context.hasChanges { isPending = false }
    // An insertion that was undone is not saved.
    isPendingForOthers =
      isPendingForOthers
      && context.insertedObjects.contains { !$0.entity.isKindOf(entity: entity) }
  }

  mutating func didSave() {
    if isPending || isPendingForOthers { isSaved = true }
    if isPendingForOthers { hasFiredForOthers = true }
    (isPending, isPendingForOthers) = (false, false)
  }

  /// Whether there was such a save since the last call.
  mutating func take() -> Bool {
    defer { (isSaved, isMerged) = (false, false) }
    return isSaved || isMerged
  }
}
