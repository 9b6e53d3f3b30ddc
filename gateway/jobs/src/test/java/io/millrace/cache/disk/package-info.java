@NullMarked
package io.millrace.cache.disk;

import org.jspecify.annotations.NullMarked;
