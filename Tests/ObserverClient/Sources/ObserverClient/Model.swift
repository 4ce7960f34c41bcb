import FetchedResultsMacros

// With SwiftData, this file differs: the macro there is @Model, the class has an initializer of its
// own, and a model is inserted into its context apart.

@Managed final class Trip {
  var name: String
  var country: String?
  var isOpen = true
}

/// Makes a container with a store in memory.
func makeContainer() throws -> ModelContainer {
  ModelContainer(managedObjectModel: try ManagedObjectModel(for: Trip.self))
}

/// Creates an object in a context.
func insertTrip(_ name: String, _ country: String?, into context: ModelContext) {
  Trip(name: name, in: context).country = country
}
