// A model file contains entities and fetch requests, so importing this module imports them as well.
@_exported public import FetchPredicates
