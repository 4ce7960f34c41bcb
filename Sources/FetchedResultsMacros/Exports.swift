// Typed entities need the engine, so importing this module imports it as well.
@_exported public import FetchedResults
