/** Entry points of the program and the commands that run the server. */
@NullMarked
package io.millrace.gateway.app.command;

import org.jspecify.annotations.NullMarked;
