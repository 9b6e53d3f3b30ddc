/**
 * Entry points of the program and the commands that run the server, {@code millrace doctor}, and a start without a
 * settings file.
 */
@NullMarked
package io.millrace.gateway.app.command;

import org.jspecify.annotations.NullMarked;
