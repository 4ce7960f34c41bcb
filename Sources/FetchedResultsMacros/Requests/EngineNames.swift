public import FetchedResults

/// The engine's request, whose name is hidden by this module's ``FetchRequest``.
public typealias EngineFetchRequest = FetchedResults.FetchRequest
