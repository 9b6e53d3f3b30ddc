package io.millrace.config;

/**
 * Settings without a problem.
 *
 * @param settings the bound record
 * @param source where they came from, for the log: the file, and the names of the environment variables that count
 */
public record Loaded<S extends Record>(S settings, String source) {}
