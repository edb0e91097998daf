from privacy_engine.errors import ChoiceNeeded as ChoiceNeeded
from privacy_engine.errors import DataError as DataError
from privacy_engine.errors import EngineError as EngineError
from privacy_engine.errors import FormatError as FormatError
from privacy_engine.errors import ParameterError as ParameterError
from privacy_engine.errors import ParameterErrors as ParameterErrors
from privacy_engine.fluent import catalogue as catalogue
from privacy_engine.fluent import experiment as experiment
from privacy_engine.fluent import read as read
from privacy_engine.fluent import sample as sample

__version__: str
