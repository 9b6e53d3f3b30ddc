/** Caches of tests, working and broken; other modules have them as this module's test-jar. */
@NullMarked
package io.millrace.gateway.objects.testkit;

import org.jspecify.annotations.NullMarked;
