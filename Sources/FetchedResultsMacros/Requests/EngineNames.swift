public import FetchPredicates

/// The engine's request, whose name is hidden by this module's ``FetchRequest``.
public typealias EngineFetchRequest = FetchPredicates.FetchRequest
