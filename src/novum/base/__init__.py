"""The contract that every estimator keeps: parameter domains, transactional fits, validation, persistence, discovery."""
