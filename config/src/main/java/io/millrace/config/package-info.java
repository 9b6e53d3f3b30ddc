/**
 * Reads the settings: binds a YAML file and environment variables to a tree of records, and generates the reference
 * page from the same records.
 *
 * <p>A settings record describes each key with {@link io.millrace.config.SettingDescription}; units are types
 * ({@link io.millrace.config.DataSize}, {@link java.time.Duration}) and what must not be printed is a
 * {@link io.millrace.config.Secret}. {@link io.millrace.config.binding.SettingsReader} reports all problems together,
 * each with its file, line, key, value and remedy. Reading happens once, at start, on one thread.
 *
 * <p>{@link io.millrace.config.MachineMemory} is what the machine gives, whatever the settings say.
 */
@NullMarked
package io.millrace.config;

import org.jspecify.annotations.NullMarked;
