/** The program and its commands. */
@NullMarked
package io.millrace.gateway.app.command;

import org.jspecify.annotations.NullMarked;
