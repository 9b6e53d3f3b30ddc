/** Backends of the settings: opening, closing and health checks. */
@NullMarked
package io.millrace.gateway.app.backend;

import org.jspecify.annotations.NullMarked;
