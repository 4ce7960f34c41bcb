public import FetchedResults
import GRDB

/// A rule for files whose model is older than the app's.
public struct StoreMigration {
  let isInferred: Bool
  let allowsDataLoss: Bool
  let oldModel: ManagedObjectModel?
  let versions: () -> [ManagedObjectModel]
  let steps: [String: MigrationStep]
  private var stages: [Stage] = []
  /// Called after a file was migrated, with the changes.
  public var didMigrate: ((MigrationReport) -> Void)?

  /// Refuses a file that does not fit the model.
  public static var none: StoreMigration {
    StoreMigration(
      isInferred: false, allowsDataLoss: false, oldModel: nil, versions: { [] }, steps: [:])
  }

  /// Migrates a file that does not fit the model, in place and in one transaction.
  ///
  /// A file that fits the model gets the indexes of the model that it lacks. It keeps others until
  /// a migration, or until `allowsDataLoss` allows dropping them.
  ///
  /// - Parameters:
  ///   - allowsDataLoss: Whether data may be dropped that has no place in the new model. If so, a
  ///     file that fits the model and has additional data is migrated as well.
  ///   - oldModel: The model of the file. Without it, frc takes the one that the file was created
  ///     with, or one of the versions, or the one that the tables imply.
  ///   - versions: The versions of the model, for a file that does not name its version, such as
  ///     one that Core Data wrote. The first one that has exactly the file's tables is taken, so
  ///     list newer versions first. It is only called if it is needed.
  ///   - steps: The app's own steps for each object of an entity, by the entity's new name.
  public static func inferred(
    allowsDataLoss: Bool = false, from oldModel: ManagedObjectModel? = nil,
    versions: @escaping () -> [ManagedObjectModel] = { [] },
    steps: [String: MigrationStep] = [:]
  ) -> StoreMigration {
    StoreMigration(
      isInferred: true, allowsDataLoss: allowsDataLoss, oldModel: oldModel, versions: versions,
      steps: steps)
  }

  private init(
    isInferred: Bool, allowsDataLoss: Bool, oldModel: ManagedObjectModel?,
    versions: @escaping () -> [ManagedObjectModel], steps: [String: MigrationStep]
  ) {
    self.isInferred = isInferred
    self.allowsDataLoss = allowsDataLoss
    self.oldModel = oldModel
    self.versions = versions
    self.steps = steps
  }
}

// MARK: - Stages

extension StoreMigration {
  /// A version of the model between that of an older file and the newest one.
  public struct Stage {
    let model: ManagedObjectModel
    let migration: StoreMigration

    /// Creates a stage.
    ///
    /// - Parameters:
    ///   - model: The version.
    ///   - allowsDataLoss: Whether data may be dropped that has no place in it.
    ///   - steps: The app's own steps to this version, for each object of an entity.
    public init(
      _ model: ManagedObjectModel, allowsDataLoss: Bool = false,
      steps: [String: MigrationStep] = [:]
    ) {
      self.model = model
      migration = .inferred(allowsDataLoss: allowsDataLoss, steps: steps)
    }
  }

  /// Returns this migration with stages before it: an older file is migrated to each of some
  /// versions first.
  ///
  /// A file of one of these versions gets the stages after it, and a file of the newest model is
  /// left as it is. Any other file gets all stages.
  ///
  /// Each stage is a transaction of its own. If one fails, the file stays at the stage before, and
  /// the next opening continues there.
  ///
  /// - Parameter stages: The versions, oldest first, without the newest model.
  public func through(_ stages: [Stage]) -> StoreMigration {
    var migration = self
    migration.stages = stages
    return migration
  }

  /// Brings a file to the last stage, unless it is there already.
  ///
  /// - Throws: As ``perform(_:model:)``.
  func performStages(_ path: String, model: ManagedObjectModel) throws {
    guard !stages.isEmpty else { return }
    for stage in stages[try place(of: path, model: model)...] {
      var migration = stage.migration
      migration.didMigrate = didMigrate
      try migration.perform(path, model: stage.model)
    }
  }

  /// Returns the index of the first stage that a file has not reached.
  private func place(of path: String, model: ManagedObjectModel) throws -> Int {
    let models = stages.map(\.model) + [model]
    let queue = try DatabaseQueue(
      path: path,
      configuration: OpenedFile.configuration(
        SQLStringFunctions(), BusyHandler(patience: OpenedFile.patience)))
    let place = try queue.read { database -> Int in
      let schema = try StoreSchema(database)
      // Opening it says what is wrong.
      guard schema.isStore else { return stages.count }
      let old = try OldModel(
        of: database, schema, given: oldModel, new: model,
        versions: { models.reversed() + versions() })
      let same = try models.lastIndex { version in
        try MigrationPlanner.plan(from: old.model, to: version, isExact: old.isExact)
          .changes.isEmpty
      }
      return same.map { min($0 + 1, stages.count) } ?? 0
    }
    try queue.close()
    return place
  }
}

extension StoreMigration {
  /// Whether a file that fits the model still needs a migration.
  enum Need {
    case none
    /// The file can be used as it is, if a migration would drop data.
    case wish
    /// The file must be migrated, because objects are not where the model expects them.
    case must
  }

  /// Returns whether to migrate a file that has every table and column of the model.
  func need(_ queue: DatabaseQueue, model: ManagedObjectModel) throws -> Need {
    guard isInferred else { return .none }
    return try queue.read { database in
      guard
        let old = try? OldModel(
          of: database, StoreSchema(database), given: oldModel, new: model, versions: versions)
      else {
        return .none
      }
      let plan = try MigrationPlanner.plan(from: old.model, to: model, isExact: old.isExact)
      // The column has the same type, but another form of the same data.
      if plan.movesData { return .must }
      // The columns may be the same. Tables alone do not show what was an inverse.
      if old.isExact, try plan.joinsRelationships { return .must }
      let hasMore = !old.omittedColumns.isEmpty || plan.changes.contains { $0.kind == .removed }
      if allowsDataLoss, hasMore { return .must }
      return plan.changes.reduce(.none) { need, change in
        switch change.kind {
        case .moved, .redirected, .madeToMany, .madeToOne: .must
        // Tables show neither the names of attributes nor whether a value is required.
        case .renamed, .converted, .madeRequired, .ordered: need == .none ? .wish : need
        case .added where isAttribute(change, of: model): need == .none ? .wish : need
        case .added, .removed, .madeOptional: need
        }
      }
    }
  }

  private func isAttribute(_ change: MigrationChange, of model: ManagedObjectModel) -> Bool {
    change.property.map { model.entitiesByName[change.entity]?.attributeIndex(named: $0) != nil }
      ?? false
  }

  /// Gives a file that fits the model the indexes of the model, unless it must stay as it is.
  func updateIndexes(of file: OpenedFile, _ model: ManagedObjectModel) throws {
    if isInferred { try file.updateIndexes(model, dropsOthers: allowsDataLoss) }
  }

  /// Migrates a file.
  ///
  /// Nothing else may have it open, because prepared statements would no longer fit.
  ///
  /// - Throws: `MigrationError`, `UnreadableRow` or `DatabaseError`. The file is unchanged then.
  func perform(_ path: String, model: ManagedObjectModel) throws {
    let external = ExternalData(besides: path)
    let functions = SQLStringFunctions()
    var configuration = OpenedFile.configuration(
      functions, BusyHandler(patience: OpenedFile.patience))
    configuration.foreignKeysEnabled = false
    configuration.prepareDatabase { database in
      try database.execute(
        sql: "PRAGMA locking_mode = EXCLUSIVE; PRAGMA legacy_alter_table = ON")
      MigrationFunctions.add(to: database, external)
    }
    do {
      let queue = try DatabaseQueue(path: path, configuration: configuration)
      let report = try queue.writeWithoutTransaction { database in
        try migrate(database, queue, model, external)
      }
      try queue.close()
      if let report { didMigrate?(report) }
    } catch let error as DatabaseError
      where [.SQLITE_BUSY, .SQLITE_LOCKED].contains(error.resultCode)
    {
      throw MigrationError.inUse
    }
  }

  /// - Returns: Nil if another process migrated the file first.
  private func migrate(
    _ database: Database, _ queue: DatabaseQueue, _ model: ManagedObjectModel,
    _ external: ExternalData
  ) throws -> MigrationReport? {
    var report: MigrationReport?
    try database.inTransaction(.immediate) {
      let old = try OldModel(
        of: database, StoreSchema(database), given: oldModel, new: model, versions: versions)
      let run = try MigrationRun(database, old, model, external)
      report = try run.perform(allowsDataLoss: allowsDataLoss, steps: steps, on: queue)
      return .commit
    }
    // Only after the commit is it certain that nothing refers to the files.
    let files = try String.fetchCursor(database, sql: "SELECT name FROM \(MigrationLosses.files)")
    while let name = try files.next() { external.removeFile(named: name) }
    return report
  }
}
