/**
 * Reads of objects: the decision between cache and backend by the freshness of what is cached, and its report in
 * {@code Cache-Status}; cached pages of object lists, which writes make stale; and reports of cached bytes by object,
 * folder and prefix.
 */
@NullMarked
package io.millrace.gateway.objects.read;

import org.jspecify.annotations.NullMarked;
