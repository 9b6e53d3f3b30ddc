/** The contract that every backend must keep, case by case. */
@NullMarked
package io.millrace.backend.testkit.contract;

import org.jspecify.annotations.NullMarked;
