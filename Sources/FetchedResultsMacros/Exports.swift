// A client of typed entities needs the engine, and imports this module alone.
@_exported public import FetchedResults
