@NullMarked
package io.millrace.backend.hub.client;

import org.jspecify.annotations.NullMarked;
