/**
 * Writes through to the backend, fenced so that no later read sees older content; copies whose bytes go through the
 * gateway; change events of backends, which invalidate the objects that they name; and S3's XML of tags and checksums.
 */
@NullMarked
package io.millrace.gateway.objects.write;

import org.jspecify.annotations.NullMarked;
