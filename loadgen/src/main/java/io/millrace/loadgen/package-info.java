/**
 * The load generator, {@code millrace bench}: its commands, the scenarios of a user's file, the operations and phases
 * that run them, and their results as tables, JSON, CSV and HTML.
 */
@NullMarked
package io.millrace.loadgen;

import org.jspecify.annotations.NullMarked;
