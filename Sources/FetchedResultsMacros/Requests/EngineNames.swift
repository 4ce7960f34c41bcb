public import FetchPredicates

/// The engine's request, which this module's ``FetchRequest`` hides.
public typealias EngineFetchRequest = FetchPredicates.FetchRequest
