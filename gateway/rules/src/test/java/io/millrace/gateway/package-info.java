/** Rules on the code and the pages of the whole repository. */
@NullMarked
package io.millrace.gateway;

import org.jspecify.annotations.NullMarked;
