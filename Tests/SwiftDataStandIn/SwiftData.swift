// The module is named `SwiftData`. Like Apple's, it hides where its types come from.
public import FetchedResults
public import FetchedResultsMacros
import FetchedResultsSQLite
public import Foundation

/// Makes a class a model: its stored properties become those of an entity.
///
/// Types are found by their names, so a property of another type than an attribute's is a
/// relationship.
@attached(member, names: named(managedSchema), named(managedObject), named(init), arbitrary)
@attached(memberAttribute)
@attached(extension, conformances: StandInModel)
public macro Model() = #externalMacro(module: "SwiftDataMacros", type: "ModelMacro")

/// Describes a relationship for ``Model()``.
@attached(peer)
public macro Relationship(
  deleteRule: Schema.Relationship.DeleteRule = .nullify, minimumModelCount: Int? = 0,
  maximumModelCount: Int? = 0, inverse: AnyKeyPath? = nil
) = #externalMacro(module: "SwiftDataMacros", type: "MarkerMacro")

/// Adds the accessors of a property. ``Model()`` applies this macro.
@attached(accessor)
public macro _ModelProperty() =
  #externalMacro(module: "SwiftDataMacros", type: "PropertyMacro")

/// Apple's name for the engine's type.
public typealias FetchDescriptor = FetchedResultsMacros.FetchDescriptor
/// Apple's name for the engine's type.
public typealias HistoryObserver = FetchedResultsMacros.HistoryObserver
/// Apple's name for the engine's type.
public typealias ModelContainer = PersistentContainer
/// Apple's name for the engine's type.
public typealias PersistentIdentifier = ObjectID
/// Apple's name for the engine's type.
public typealias PersistentModel = FetchedResultsMacros.PersistentModel
/// Apple's name for the engine's type.
public typealias ResultsObserver = FetchedResultsMacros.ResultsObserver

/// Named by the expansion of ``Model()``.
public typealias _ManagedObject = ManagedObject
/// Named by the expansion of ``Model()``.
public typealias _ManagedSchema = ManagedSchema

/// A class with ``Model()``.
public protocol StandInModel: PlainManagedEntity {
  /// Wraps another object from now on.
  var managedObject: ManagedObject { get set }
}

extension StandInModel {
  /// Whether both wrap the same object: the operator of the engine is not visible to a test.
  public static func == (left: Self, right: Self) -> Bool {
    left.managedObject === right.managedObject
  }
}

/// The classes of a store.
public struct Schema {
  let types: [any PersistentModel.Type]

  /// Lists the classes.
  public init(_ types: [any PersistentModel.Type]) { self.types = types }

  /// Types of relationships.
  public enum Relationship {
    /// What happens to related objects when an object is deleted.
    public typealias DeleteRule = RelationshipDescription.DeleteRule
  }
}

/// Where a store is.
public struct ModelConfiguration {
  let url: URL?

  /// A store in memory.
  public init(isStoredInMemoryOnly: Bool) { url = nil }
  /// A store in a file.
  public init(url: URL) { self.url = url }
}

/// The models that were made, and their classes.
@MainActor private enum Models {
  /// The model of each list of classes: the containers of one file have to share it.
  static var known: [[ObjectIdentifier]: ManagedObjectModel] = [:]
  static var types: [EntityDescription: any PersistentModel.Type] = [:]
  static var mainContexts: [(container: ModelContainer, context: ModelContext)] = []
  /// The context of objects that are in no container yet.
  static var waiting: ManagedObjectContext?

  static func model(for types: [any PersistentModel.Type]) throws -> ManagedObjectModel {
    let key = types.map { ObjectIdentifier($0) }
    if let known = known[key] { return known }
    let model = try ManagedObjectModel(for: types)
    known[key] = model
    for type in types { Self.types[type.entity(in: model)] = type }
    return model
  }
}

extension PersistentContainer {
  /// Opens a store.
  @MainActor public convenience init(
    for schema: Schema, configurations: ModelConfiguration
  ) throws {
    let model = try Models.model(for: schema.types)
    Models.waiting = ManagedObjectContext(
      coordinator: PersistentStoreCoordinator(managedObjectModel: model))
    if let url = configurations.url {
      try self.init(
        managedObjectModel: model, sqliteStoreAt: url, tracksHistory: true, durability: .off)
    } else {
      self.init(managedObjectModel: model)
    }
  }

  /// The context of the main actor.
  @MainActor public var mainContext: ModelContext {
    if let known = Models.mainContexts.first(where: { $0.container === self }) {
      return known.context
    }
    let context = ModelContext(self)
    Models.mainContexts.append((self, context))
    return context
  }
}

/// A context whose actor is the main actor.
///
/// It has no other class than the engine's for its own sake: the engine's context also has a `save`
/// that suspends, which the compiler would take in a test.
public final class ModelContext {
  let engine: ManagedObjectContext

  /// Makes a context of a container.
  @MainActor public init(_ container: ModelContainer) {
    do {
      engine = try container.newContext(isolation: MainActor.shared)
    } catch {
      preconditionFailure("the store of a container cannot be opened: \(error)")
    }
  }

  /// False: no context saves by itself.
  public var autosaveEnabled: Bool {
    get { false }
    set { precondition(!newValue, "no context here saves by itself") }
  }

  /// The author of the saves.
  public var author: String? {
    get { engine.transactionAuthor }
    set { engine.transactionAuthor = newValue }
  }

  /// Saves the changes.
  public func save() throws { try engine.save() }

  /// Discards the changes.
  public func rollback() { engine.rollback() }

  /// Inserts a model, with the values that it has.
  public func insert(_ model: some StandInModel) {
    let old = model.managedObject
    guard old.managedObjectContext !== engine else { return }
    let new = engine.insert(Self.entity(of: model, in: engine))
    for attribute in new.entity.attributes { new[attribute.name] = old[attribute.name] }
    old.managedObjectContext?.delete(old)
    model.managedObject = new
  }

  private static func entity<Model: StandInModel>(
    of model: Model, in context: ManagedObjectContext
  ) -> EntityDescription {
    Model.entity(in: context.persistentStoreCoordinator.managedObjectModel)
  }

  /// Marks a model for deletion.
  public func delete(_ model: some StandInModel) { engine.delete(model.managedObject) }

  /// Returns a model by its identity.
  @MainActor public func model(for id: PersistentIdentifier) -> any PersistentModel {
    guard let type = Models.types[id.entity], let object = try? engine.existingObject(with: id)
    else { preconditionFailure("no model of this container: \(id)") }
    return type.init(managedObject: object)
  }

  /// Deletes the whole history.
  public func deleteHistory<Transaction>(_ descriptor: HistoryDescriptor<Transaction>) throws {
    _ = try engine.deleteHistory(before: nil)
  }
}

extension FetchedResultsMacros.ResultsObserver where SectionTitle == Never {
  /// Observes results without sections.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element>, modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      fetchDescriptor: fetchDescriptor, modelContext: modelContext.engine, isolation: isolation)
  }
}

extension FetchedResultsMacros.ResultsObserver where SectionTitle == String {
  /// Observes results in sections by a text.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element>, sectionBy: KeyPath<Element, String>,
    modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      fetchDescriptor: fetchDescriptor, sectionBy: sectionBy, modelContext: modelContext.engine,
      isolation: isolation)
  }

  /// Observes results in sections by an optional text.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element>, sectionBy: KeyPath<Element, String?>,
    modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      fetchDescriptor: fetchDescriptor, sectionBy: sectionBy, modelContext: modelContext.engine,
      isolation: isolation)
  }
}

/// All transactions of a history.
public struct HistoryDescriptor<Transaction> {
  /// Describes all transactions.
  public init() {}
}

/// A transaction of a history.
public enum DefaultHistoryTransaction {}

/// Called by the expansion of ``Model()``.
public enum _ModelObjects {
  /// Makes the object of a model that is in no context yet.
  public static func make(_ type: (some ManagedEntity).Type) -> ManagedObject {
    nonisolated(unsafe) var context: ManagedObjectContext?
    MainActor.assumeIsolated { context = Models.waiting }
    guard let context else { preconditionFailure("make a container before a model") }
    return context.insert(type.entity(in: context.persistentStoreCoordinator.managedObjectModel))
  }
}
