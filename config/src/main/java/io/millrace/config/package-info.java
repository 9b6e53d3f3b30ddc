/**
 * Reads the operator's file: a YAML file and the environment are bound to a tree of records, and the page that explains
 * every key is made from the same records.
 *
 * <p>A settings record says what each key is with {@link io.millrace.config.Setting}; units are types
 * ({@link io.millrace.config.DataSize}, {@link java.time.Duration}) and what must not be printed is a
 * {@link io.millrace.config.Secret}. {@link io.millrace.config.SettingsReader} reports all problems together, each with
 * its file, line, key, value and remedy. Reading happens once, at start, on one thread.
 */
@NullMarked
package io.millrace.config;

import org.jspecify.annotations.NullMarked;
