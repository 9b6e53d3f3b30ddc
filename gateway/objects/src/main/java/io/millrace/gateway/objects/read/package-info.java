/** What is served from the cache, when a backend is asked, and what is told of it ({@code Cache-Status}). */
@NullMarked
package io.millrace.gateway.objects.read;

import org.jspecify.annotations.NullMarked;
