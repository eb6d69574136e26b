"""Pictures of ensembles: how data flow through them, what each member says, how boosting shifts its attention."""
