/** Durable, private files of Millrace's state. */
@NullMarked
package io.millrace.gateway.objects.file;

import org.jspecify.annotations.NullMarked;
