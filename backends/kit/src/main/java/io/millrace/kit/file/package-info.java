/**
 * Durable files: replaced atomically, synced with their folder, private to their owner where they hold state. And a
 * check that a folder can be created.
 */
@NullMarked
package io.millrace.kit.file;

import org.jspecify.annotations.NullMarked;
