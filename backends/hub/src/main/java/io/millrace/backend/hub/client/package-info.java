/** Requests to the Hub and what its answers mean. */
@NullMarked
package io.millrace.backend.hub.client;

import org.jspecify.annotations.NullMarked;
